// SPDX-License-Identifier: Apache-2.0
#include "blockyard/server/chunk_counters.h"

#include <gtest/gtest.h>

#include "blockyard/base/error.h"

namespace blockyard::server {
namespace {

TEST(ChunkCounters, deals_every_position_once_in_shrinking_chunks) {
  ChunkCounters counters;
  std::int64_t next = 0;
  std::int64_t last_count = 1000;
  for (;;) {
    const Range range = counters.take(5, 1000, 3);
    EXPECT_EQ(range.first, next);
    if (range.first == range.last) break;
    EXPECT_LE(range.last - range.first, last_count);
    last_count = range.last - range.first;
    next = range.last;
  }
  EXPECT_EQ(next, 1000);
  EXPECT_EQ(last_count, 1);
}

TEST(ChunkCounters, gives_half_of_a_fair_share) {
  ChunkCounters counters;
  EXPECT_EQ(counters.take(0, 80, 4), (Range{0, 10}));
  EXPECT_EQ(counters.take(0, 80, 4), (Range{10, 18}));
}

TEST(ChunkCounters, keeps_loops_apart_and_forgets_them_when_all_know_the_end) {
  ChunkCounters counters;
  EXPECT_EQ(counters.take(1, 1, 2), (Range{0, 1}));
  EXPECT_EQ(counters.take(2, 1, 2), (Range{0, 1}));
  EXPECT_EQ(counters.take(1, 1, 2), (Range{1, 1}));
  EXPECT_EQ(counters.size(), 2U);
  EXPECT_EQ(counters.take(1, 1, 2), (Range{1, 1}));
  EXPECT_EQ(counters.size(), 1U);
  EXPECT_EQ(counters.take(1, 1, 2), (Range{0, 1}));
}

TEST(ChunkCounters, deals_out_a_loop_of_nothing) {
  ChunkCounters counters;
  EXPECT_EQ(counters.take(1, 0, 1), (Range{0, 0}));
  EXPECT_EQ(counters.size(), 0U);
}

TEST(ChunkCounters, refuses_sharers_that_disagree) {
  ChunkCounters counters;
  (void)counters.take(1, 10, 2);
  EXPECT_THROW((void)counters.take(1, 11, 2), base::Error);
  EXPECT_THROW((void)counters.take(2, -1, 2), base::Error);
  EXPECT_THROW((void)counters.take(2, 1, 0), base::Error);
}

TEST(ChunkCounters, deal_out_the_own_list_then_steal_from_near_before_far) {
  ChunkCounters counters;
  const auto take = [&](std::int32_t mine, std::int32_t first, std::int32_t last) {
    return counters.take_near({0, 1, 12, 3, {4, 4, 4}, mine, first, last});
  };
  EXPECT_EQ(take(0, 0, 2), (Range{0, 1}));
  for (std::int64_t next = 4; next < 8; ++next) EXPECT_EQ(take(1, 0, 2), (Range{next, next + 1}));
  EXPECT_EQ(take(1, 0, 2), (Range{2, 4})) << "half of what its neighbour has left, from the end";
  EXPECT_EQ(take(1, 0, 2), (Range{1, 2}));
  EXPECT_EQ(take(1, 0, 2), (Range{10, 12})) << "from afar";
  EXPECT_EQ(take(2, 2, 3), (Range{8, 9}));
  EXPECT_EQ(take(0, 0, 2), (Range{9, 10}));
  for (std::int32_t worker = 0; worker < 3; ++worker) {
    const Range none = take(worker, 0, 3);
    EXPECT_EQ(none.first, none.last);
  }
  EXPECT_EQ(counters.size(), 0U);
  EXPECT_THROW((void)take(3, 0, 3), base::Error);
}

}  // namespace
}  // namespace blockyard::server
