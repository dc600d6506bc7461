// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/collective.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "blockyard/fabric/loopback/loopback.h"

namespace blockyard::worker::detail {
namespace {

constexpr int workers = 3;

struct WouldWait {};

/// Three workers in one thread: where one would wait, its turn ends.
class Together {
 public:
  Together() {
    for (int rank = 0; rank < workers; ++rank) ends_.push_back(world_.endpoint(rank));
  }

  /// What worker 0 gets where worker 1 gives `values`.
  Collected broadcast_from_1(const std::vector<std::byte>& values) {
    const Collectives::Combine combine = [](auto parts) { return std::move(parts[1]); };
    for (int rank = 1; rank < workers; ++rank) {
      Collectives one(*ends_[index(rank)], frames_, options_of(rank), here_,
                      [] { throw WouldWait(); });
      const auto mine = rank == 1 ? values : std::vector<std::byte>();
      EXPECT_THROW(static_cast<void>(one.collect(Collective::broadcast, mine, combine)), WouldWait);
    }
    Collectives* first = nullptr;
    Collectives zero(*ends_[0], frames_, options_of(0), here_, [&] {
      auto message = ends_[0]->poll(0);
      auto any = wire::decode(message.value().head);
      first->take_part(message->from, std::get<wire::Collect>(any));
    });
    first = &zero;
    return zero.collect(Collective::broadcast, {}, combine);
  }

  std::optional<fabric::Message> message_of(int rank) { return ends_[index(rank)]->poll(0); }

 private:
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }
  const Options& options_of(int rank) {
    options_[index(rank)].worker = rank;
    options_[index(rank)].workers = workers;
    return options_[index(rank)];
  }

  base::BufferPool pool_{1 << 20};
  block::FramePool frames_{pool_, 1 << 20};
  std::array<Options, workers> options_;
  wire::Access here_;
  fabric::LoopbackWorld world_{workers};
  std::vector<std::unique_ptr<fabric::Fabric>> ends_;
};

TEST(Collectives, send_all_workers_the_same_memory_of_a_long_result) {
  Together together;
  const std::vector<std::byte> values(Collectives::most_bytes + 1, std::byte{7});
  const Collected result = together.broadcast_from_1(values);
  ASSERT_EQ(result.bytes().size(), values.size());
  EXPECT_TRUE(std::ranges::equal(result.bytes(), values));
  for (int rank = 1; rank < workers; ++rank) {
    const auto message = together.message_of(rank);
    ASSERT_TRUE(message);
    ASSERT_NE(message->payload, nullptr);
    EXPECT_EQ(message->payload->data(), result.bytes().data());
    EXPECT_LT(message->head.size(), 100U);
  }
}

TEST(Collectives, send_a_short_result_in_the_message) {
  Together together;
  const std::vector<std::byte> values(Collectives::most_bytes, std::byte{7});
  EXPECT_TRUE(std::ranges::equal(together.broadcast_from_1(values).bytes(), values));
  const auto message = together.message_of(2);
  ASSERT_TRUE(message);
  EXPECT_EQ(message->payload, nullptr);
  EXPECT_TRUE(
      std::ranges::equal(std::get<wire::Spread>(wire::decode(message->head)).bytes, values));
}

}  // namespace
}  // namespace blockyard::worker::detail
