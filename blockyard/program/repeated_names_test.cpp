// SPDX-License-Identifier: Apache-2.0
#include "blockyard/program/repeated_names.h"

#include <gtest/gtest.h>

namespace blockyard::program {
namespace {

using Names = std::vector<std::int32_t>;
using Places = std::vector<std::size_t>;

TEST(TargetsOfRepeated, keeps_or_transposes_two_indexes) {
  EXPECT_EQ(targets_of_repeated(Names{2, 2}, Names{1, 2}), (Places{0, 1}));
  EXPECT_EQ(targets_of_repeated(Names{1, 1}, Names{1, 2}), (Places{1, 0}));
}

TEST(TargetsOfRepeated, has_no_meaning_for_other_lists) {
  EXPECT_FALSE(targets_of_repeated(Names{1, 2}, Names{2, 1}));        // no name twice
  EXPECT_FALSE(targets_of_repeated(Names{1, 1}, Names{1, 1}));        // the same list
  EXPECT_FALSE(targets_of_repeated(Names{3, 3}, Names{1, 2}));        // a name not there
  EXPECT_FALSE(targets_of_repeated(Names{1, 1}, Names{1, 2, 3}));     // of other lengths
  EXPECT_FALSE(targets_of_repeated(Names{2, 2, 2}, Names{1, 2, 3}));  // two positions for one
  EXPECT_TRUE(targets_of_repeated(Names{2, 2, 3}, Names{1, 2, 3}));
}

}  // namespace
}  // namespace blockyard::program
