// SPDX-License-Identifier: Apache-2.0
#include "blockyard/array/even_segments.h"

#include <gtest/gtest.h>

#include <limits>

namespace blockyard::array {
namespace {

using Extents = std::vector<Extent>;

TEST(EvenSegments, AreAsFewAndAsEvenAsCanBe) {
  EXPECT_EQ(even_segments(93, 28), (Extents{24, 23, 23, 23}));
  EXPECT_EQ(even_segments(28, 28), (Extents{28}));
  EXPECT_EQ(even_segments(29, 28), (Extents{15, 14}));
  EXPECT_EQ(even_segments(3, 1), (Extents{1, 1, 1}));
  EXPECT_EQ(even_segments(5, std::numeric_limits<Extent>::max()), (Extents{5}));
}

TEST(EvenSegments, OfNothingAreNone) { EXPECT_EQ(even_segments(0, 5), Extents{}); }

TEST(AutomaticSegment, IsTheUsualOneForManyOrbitals) { EXPECT_EQ(automatic_segment(93, 28), 28); }

TEST(AutomaticSegment, IsAThirdOfFewOrbitals) {
  EXPECT_EQ(automatic_segment(53, 28), 18);
  EXPECT_EQ(even_segments(53, automatic_segment(53, 28)), (Extents{18, 18, 17}));
}

TEST(AutomaticSegment, IsNotLessThanEight) { EXPECT_EQ(automatic_segment(5, 28), 8); }

}  // namespace
}  // namespace blockyard::array
