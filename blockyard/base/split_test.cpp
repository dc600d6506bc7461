// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/split.h"

#include <gtest/gtest.h>

namespace blockyard::base {
namespace {

using Parts = std::vector<std::string>;

TEST(Split, GivesWhatIsBetweenSeparators) { EXPECT_EQ(split("a,bc", ','), (Parts{"a", "bc"})); }
TEST(Split, KeepsEmptyParts) { EXPECT_EQ(split(":b:", ':'), (Parts{"", "b", ""})); }
TEST(Split, OfNothingIsOneEmptyPart) { EXPECT_EQ(split("", ','), Parts{""}); }
TEST(Split, LeavesBracketsTogether) {
  EXPECT_EQ(split_outside_brackets("6-31G(d,p),[a,(b,c)],", ','),
            (Parts{"6-31G(d,p)", "[a,(b,c)]", ""}));
}

}  // namespace
}  // namespace blockyard::base
