// SPDX-License-Identifier: Apache-2.0
#include "blockyard/server/chunk_counters.h"

#include <gtest/gtest.h>

#include "blockyard/base/error.h"

namespace blockyard::server {
namespace {

using wire::Range;
using wire::unasked_of;

TEST(ChunkCounters, deals_every_position_once_in_shrinking_chunks) {
  ChunkCounters counters;
  std::int64_t next = unasked_of(2, 1000, 3).last;
  std::int64_t last_count = 1000;
  for (;;) {
    const Range range = counters.take(5, 1000, 3);
    EXPECT_EQ(range.first, next);
    if (range.length() == 0) break;
    EXPECT_LE(range.length(), last_count);
    last_count = range.length();
    next = range.last;
  }
  EXPECT_EQ(next, 1000);
  EXPECT_EQ(last_count, 1);
}

TEST(ChunkCounters, leaves_a_quarter_of_a_fair_share_to_each_unasked_and_deals_half_of_one) {
  EXPECT_EQ(unasked_of(0, 80, 4), (Range{0, 5}));
  EXPECT_EQ(unasked_of(3, 80, 4), (Range{15, 20}));
  ChunkCounters counters;
  EXPECT_EQ(counters.take(0, 80, 4), (Range{20, 27}));
  EXPECT_EQ(counters.take(0, 80, 4), (Range{27, 33}));
}

TEST(ChunkCounters, keeps_loops_apart_and_forgets_them_when_all_know_the_end) {
  ChunkCounters counters;
  EXPECT_EQ(counters.take(1, 3, 2), (Range{2, 3}));
  EXPECT_EQ(counters.take(2, 3, 2), (Range{2, 3}));
  EXPECT_EQ(counters.take(1, 3, 2), (Range{3, 3}));
  EXPECT_EQ(counters.size(), 2U);
  EXPECT_EQ(counters.take(1, 3, 2), (Range{3, 3}));
  EXPECT_EQ(counters.size(), 1U);
  EXPECT_EQ(counters.take(1, 3, 2), (Range{2, 3}));
}

TEST(ChunkCounters, waits_for_nobody_who_has_nothing_to_do) {
  EXPECT_EQ(unasked_of(1, 2, 4), (Range{1, 2}));
  EXPECT_EQ(unasked_of(2, 2, 4), (Range{2, 2})) << "this one never asks";
  ChunkCounters counters;
  EXPECT_EQ(counters.take(1, 2, 4).length(), 0);
  EXPECT_EQ(counters.size(), 1U);
  EXPECT_EQ(counters.take(1, 2, 4).length(), 0);
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
  // Each starts with the first two of its four.
  const auto take = [&](std::int32_t mine, std::int32_t first, std::int32_t last) {
    return counters.take_near({0, 1, 12, 3, {4, 4, 4}, mine, first, last});
  };
  EXPECT_EQ(take(1, 0, 2), (Range{6, 7}));
  const auto take_more = [&](std::int32_t mine, std::int32_t first, std::int32_t last) {
    return counters.take_near({0, 1, 12, 3, {}, mine, first, last});
  };
  EXPECT_EQ(take_more(1, 0, 2), (Range{7, 8}));
  EXPECT_EQ(take_more(1, 0, 2), (Range{3, 4}))
      << "half of what its neighbour has left, from the end";
  EXPECT_EQ(take_more(1, 0, 2), (Range{2, 3}));
  EXPECT_EQ(take_more(1, 0, 2), (Range{11, 12})) << "from afar";
  EXPECT_EQ(take(2, 2, 3), (Range{10, 11}));
  for (std::int32_t worker = 0; worker < 3; ++worker)
    EXPECT_EQ(take_more(worker, 0, 3).length(), 0);
  EXPECT_EQ(counters.size(), 0U);
  EXPECT_THROW((void)take(3, 0, 3), base::Error);
}

TEST(ChunkCounters, refuses_lists_that_differ_or_were_never_told) {
  ChunkCounters counters;
  EXPECT_THROW((void)counters.take_near({0, 1, 4, 2, {}, 0, 0, 2}), base::Error);
  (void)counters.take_near({0, 2, 4, 2, {2, 2}, 0, 0, 2});
  EXPECT_THROW((void)counters.take_near({0, 2, 4, 2, {2, 2, 0}, 0, 0, 2}), base::Error);
}

}  // namespace
}  // namespace blockyard::server
