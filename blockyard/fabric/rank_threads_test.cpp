// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/rank_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/fabric/loopback/loopback.h"

namespace blockyard::fabric {
namespace {

struct Ranks : testing::Test {
  void start(int rank, std::function<void(Fabric&)> work) {
    endpoints.push_back(world.endpoint(rank));
    ranks.start(*endpoints.back(), [work, &fabric = *endpoints.back()] { work(fabric); });
  }

  LoopbackWorld world{3};
  std::vector<std::unique_ptr<Fabric>> endpoints;
  RankThreads ranks{world, [] {}};
};

TEST_F(Ranks, all_run_and_end) {
  std::atomic<int> ended = 0;
  for (int rank = 0; rank < 3; ++rank) start(rank, [&](Fabric&) { ++ended; });
  ranks.watch([] {});
  ranks.end();
  EXPECT_EQ(ended, 3);
  EXPECT_EQ(ranks.error(), nullptr);
}

TEST_F(Ranks, the_first_error_ends_those_that_wait) {
  std::atomic<int> aborted = 0;
  const auto wait = [&](Fabric& fabric) {
    try {
      while (true) (void)fabric.poll(0.01);
    } catch (const base::Error&) {
      ++aborted;
      throw;
    }
  };
  start(0, wait);
  start(1, wait);
  start(2, [](Fabric&) { throw std::logic_error("rank 2 cannot"); });
  ranks.watch([] {});
  EXPECT_EQ(aborted, 2);
  EXPECT_EQ(ranks.cause(), "rank 2 cannot");
  EXPECT_THROW(std::rethrow_exception(ranks.error()), std::logic_error);
}

TEST_F(Ranks, an_error_from_outside_ends_them) {
  for (int rank = 0; rank < 3; ++rank)
    start(rank, [](Fabric& fabric) {
      while (true) (void)fabric.poll(0.01);
    });
  ranks.watch([&] {
    ranks.fail(*endpoints.front(),
               std::make_exception_ptr(base::Error(base::Errc::comm, "a signal")));
  });
  EXPECT_EQ(ranks.cause(), "a signal");
}

TEST_F(Ranks, an_error_of_the_thread_that_watches_ends_them) {
  for (int rank = 0; rank < 3; ++rank)
    start(rank, [](Fabric& fabric) {
      while (true) (void)fabric.poll(0.01);
    });
  ranks.watch([] { throw base::Error(base::Errc::io, "the output is closed"); });
  EXPECT_EQ(ranks.cause(), "the output is closed");
}

}  // namespace
}  // namespace blockyard::fabric
