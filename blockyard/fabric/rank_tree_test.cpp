// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/rank_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace blockyard::fabric {
namespace {

TEST(RankTree, has_each_rank_once_below_few) {
  for (int ranks = 1; ranks < 300; ++ranks) {
    std::vector<int> parents(static_cast<std::size_t>(ranks), -1);
    for (int rank = 0; rank < ranks; ++rank)
      for (const int child : children_of(rank, ranks)) {
        EXPECT_EQ(parent_of(child), rank);
        EXPECT_EQ(std::exchange(parents[static_cast<std::size_t>(child)], rank), -1);
      }
    EXPECT_EQ(std::ranges::count(parents, -1), 1) << "only rank 0 has none";
  }
  EXPECT_EQ(children_of(0, 256).size(), 12U);
  EXPECT_EQ(children_of(0, 65536).size(), 24U);
}

}  // namespace
}  // namespace blockyard::fabric
