// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/collective.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "blockyard/base/bytes.h"
#include "blockyard/base/error.h"
#include "blockyard/fabric/loopback/loopback.h"
#include "blockyard/fabric/rank_tree.h"

namespace blockyard::worker::detail {
namespace {

/// One worker of a world: what Transport does for Collectives.
class Member {
 public:
  Member(base::BufferPool& pool, fabric::LoopbackWorld& world, int worker, int workers)
      : frames_(pool, 1 << 20),
        fabric_(world.endpoint(worker)),
        options_(options_of(worker, workers)) {}

  Collected collect(Collective kind, std::vector<std::byte> mine, const Combine& combine) {
    return collectives_.collect(kind, std::move(mine), combine);
  }
  [[nodiscard]] std::optional<fabric::Message> message() { return fabric_->poll(0); }
  /// From now on it waits no longer than until it has seen these messages.
  void wait_for(int messages) { left_ = messages; }
  void abort(const char* cause) { fabric_->abort(cause); }

  struct WouldWait {};

 private:
  static Options options_of(int worker, int workers) {
    Options options;
    options.worker = worker;
    options.workers = workers;
    return options;
  }
  void wait() {
    if (left_ == 0) throw WouldWait();
    std::optional<fabric::Message> message;
    while (!message && !collectives_.is_over()) message = fabric_->poll(1.0);
    if (!message) return;
    if (left_ > 0) --left_;
    wire::Any any = wire::decode(message->head);
    if (auto* const part = std::get_if<wire::Collect>(&any))
      collectives_.take_part(message->from, *part, std::move(message->payload));
    else
      collectives_.take_result(std::get<wire::Spread>(any), std::move(message->payload));
  }

  block::FramePool frames_;
  std::unique_ptr<fabric::Fabric> fabric_;
  Options options_;
  wire::Access here_;
  int left_ = -1;
  Collectives collectives_{*fabric_, frames_, options_, here_, [this] { wait(); }};
};

class Members {
 public:
  explicit Members(int workers, std::optional<std::uint64_t> seed = {}) : world_(workers, seed) {
    for (int worker = 0; worker < workers; ++worker)
      members_.push_back(std::make_unique<Member>(pool_, world_, worker, workers));
  }
  Member& operator[](int worker) { return *members_[static_cast<std::size_t>(worker)]; }

 private:
  base::BufferPool pool_{1 << 20};
  fabric::LoopbackWorld world_;
  std::vector<std::unique_ptr<Member>> members_;
};

/// Runs `work` on each worker, on a thread of its own. The first error ends all.
template <class Work>
void run_workers(int workers, std::optional<std::uint64_t> seed, const Work& work) {
  Members members(workers, seed);
  std::vector<std::jthread> threads;
  for (int worker = 0; worker < workers; ++worker)
    threads.emplace_back([&, worker] {
      try {
        work(members[worker], worker);
      } catch (const std::exception& error) {
        members[worker].abort(error.what());
      }
    });
}

std::vector<std::byte> bytes_of(double value) {
  base::ByteWriter out;
  out.value(value);
  return out.take();
}
double value_of(std::span<const std::byte> bytes) {
  return base::ByteReader(bytes).value<double>();
}

Collected sum(std::span<Collected> parts) {
  const double total = std::accumulate(
      parts.begin(), parts.end(), 0.0,
      [](double so_far, const Collected& part) { return so_far + value_of(part.bytes()); });
  return Collected(bytes_of(total));
}

TEST(Collectives, let_worker_0_hear_from_those_below_it_alone) {
  constexpr int workers = 16;
  Members members(workers);
  for (int worker = workers - 1; worker > 0; --worker) {
    members[worker].wait_for(static_cast<int>(fabric::children_of(worker, workers).size()));
    EXPECT_THROW(
        static_cast<void>(members[worker].collect(Collective::barrier, {}, {join_nothing})),
        Member::WouldWait);
  }
  std::vector<int> heard;
  while (const auto message = members[0].message()) heard.push_back(message->from);
  std::ranges::sort(heard);
  EXPECT_EQ(heard, fabric::children_of(0, workers));
}

/// Values whose sum depends on the order of additions.
double awkward(int worker) {
  return worker % 3 == 1 ? 1e16 : worker % 3 == 2 ? -1e16 : 1.0 + worker;
}

TEST(Collectives, sum_in_an_order_that_the_number_of_workers_determines) {
  for (const int workers : {2, 3, 4, 5, 16, 17, 21}) {
    std::vector<double> totals;
    std::mutex mutex;
    const std::optional<std::uint64_t> seeds[] = {std::nullopt, 1, 2};
    for (const auto& seed : seeds)
      run_workers(workers, seed, [&](Member& member, int worker) {
        for (int step = 0; step < 10; ++step) {
          const auto total = member.collect(Collective::sum, bytes_of(awkward(worker)), {sum});
          const std::lock_guard lock(mutex);
          totals.push_back(value_of(total.bytes()));
        }
      });
    EXPECT_EQ(totals.size(), static_cast<std::size_t>(3 * 10 * workers));
    for (const double total : totals) EXPECT_EQ(total, totals.front()) << workers << " workers";
    if (workers > fabric::tree_base) continue;
    double in_order = 0;
    for (int worker = 0; worker < workers; ++worker) in_order += awkward(worker);
    EXPECT_EQ(totals.front(), in_order);
  }
}

TEST(Collectives, conclude_on_worker_0_with_the_parts_in_the_order_of_workers) {
  constexpr int workers = 21;
  int concluded = 0;
  const auto join = [](std::span<Collected> parts) {
    std::vector<std::byte> all;
    for (const Collected& part : parts) {
      const auto bytes = part.bytes();
      all.insert(all.end(), bytes.begin(), bytes.end());
    }
    return Collected(std::move(all));
  };
  std::vector<std::byte> seen;
  run_workers(workers, {}, [&](Member& member, int worker) {
    const Combine combine{join, [&](Collected all) {
                            EXPECT_EQ(worker, 0);
                            ++concluded;
                            seen.assign(all.bytes().begin(), all.bytes().end());
                            return Collected(bytes_of(7));
                          }};
    const auto result = member.collect(Collective::sum, {std::byte(worker)}, combine);
    EXPECT_EQ(value_of(result.bytes()), 7);
  });
  EXPECT_EQ(concluded, 1);
  ASSERT_EQ(seen.size(), static_cast<std::size_t>(workers));
  for (int worker = 0; worker < workers; ++worker)
    EXPECT_EQ(seen[static_cast<std::size_t>(worker)], std::byte(worker));
}

TEST(Collectives, give_all_workers_of_a_process_the_same_memory_of_long_values) {
  constexpr int workers = 21;
  for (const int from : {0, 1, 4, 20})
    for (const std::size_t bytes : {Collectives::most_bytes, Collectives::most_bytes + 1}) {
      std::vector<const std::byte*> places(workers);
      run_workers(workers, {}, [&](Member& member, int worker) {
        std::vector<std::byte> mine;
        if (worker == from) mine.assign(bytes, std::byte{7});
        auto result = member.collect(Collective::broadcast, std::move(mine), {join_the_only});
        EXPECT_EQ(result.bytes().size(), bytes);
        EXPECT_TRUE(std::ranges::all_of(result.bytes(), [](auto b) { return b == std::byte{7}; }));
        places[static_cast<std::size_t>(worker)] = result.bytes().data();
        member.collect(Collective::barrier, {}, {join_nothing});
      });
      const std::set<const std::byte*> different(places.begin(), places.end());
      EXPECT_EQ(different.size(), bytes > Collectives::most_bytes ? 1U : places.size());
    }
}

TEST(Collectives, end_for_all_when_workers_are_at_different_places) {
  for (const int other : {0, 1, 5, 20}) {
    std::mutex mutex;
    std::vector<std::string> causes;
    run_workers(21, {}, [&](Member& member, int worker) {
      try {
        const auto kind = worker == other ? Collective::sum : Collective::barrier;
        member.collect(kind, bytes_of(1), {sum});
      } catch (const base::Error& error) {
        member.abort(error.what());
        const std::lock_guard lock(mutex);
        causes.emplace_back(error.what());
      }
    });
    EXPECT_EQ(causes.size(), 21U);
    for (const std::string& cause : causes)
      EXPECT_NE(cause.find("a collective sum"), std::string::npos) << cause;
  }
}

TEST(Collectives, end_for_all_when_one_fails_or_two_workers_give_what_one_should) {
  std::atomic<int> failures = 0;
  run_workers(21, {}, [&](Member& member, int worker) {
    try {
      member.collect(Collective::broadcast,
                     worker % 7 == 3 ? bytes_of(1) : std::vector<std::byte>(), {join_the_only});
    } catch (const base::Error& error) {
      ++failures;
      member.abort(error.what());
    }
  });
  EXPECT_EQ(failures, 21);
  failures = 0;
  run_workers(21, {}, [&](Member& member, int worker) {
    if (worker == 6) return member.abort("worker 6 failed");
    try {
      member.collect(Collective::barrier, {}, {join_nothing});
    } catch (const base::Error& error) {
      ++failures;
      EXPECT_STREQ(error.what(), "worker 6 failed");
    }
  });
  EXPECT_EQ(failures, 20);
}

}  // namespace
}  // namespace blockyard::worker::detail
