// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/node/patience.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace blockyard::fabric::node {
namespace {

Processors on(std::initializer_list<std::size_t> processors) {
  Processors set{};
  for (const std::size_t processor : processors)
    set[processor / 64] |= std::uint64_t{1} << processor % 64;
  return set;
}

bool holds(std::vector<Processors> ranks, std::optional<int> quota = std::nullopt) {
  return have_own_processors(ranks, quota);
}

TEST(OwnProcessors, ranks_that_are_not_bound_need_as_many_as_they_are) {
  EXPECT_TRUE(holds({on({0, 1}), on({0, 1})}));
  EXPECT_FALSE(holds({on({0, 1}), on({0, 1}), on({0, 1})}));
}

TEST(OwnProcessors, ranks_bound_to_one_processor_each_have_their_own) {
  EXPECT_TRUE(holds({on({0}), on({1}), on({900})}));
}

TEST(OwnProcessors, ranks_bound_to_the_same_one_have_not_though_others_are_free) {
  EXPECT_FALSE(holds({on({0}), on({0}), on({1, 2, 3})}));
}

TEST(OwnProcessors, a_rank_makes_room_where_it_may_run_elsewhere) {
  EXPECT_TRUE(holds({on({0, 1, 2}), on({0, 1}), on({0})}));
  EXPECT_FALSE(holds({on({0, 1}), on({0, 1}), on({0, 1}), on({2, 3})}));
}

TEST(OwnProcessors, a_quota_counts_whatever_they_may_run_on) {
  EXPECT_FALSE(holds({on({0}), on({1}), on({2})}, 2));
  EXPECT_TRUE(holds({on({0}), on({1})}, 2));
}

}  // namespace
}  // namespace blockyard::fabric::node
