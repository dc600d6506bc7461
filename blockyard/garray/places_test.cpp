// SPDX-License-Identifier: Apache-2.0
#include "blockyard/garray/places.h"

#include <gtest/gtest.h>

#include <vector>

namespace blockyard::garray {
namespace {

using array::Box;
using array::Extent;
using array::Indexes;

const Box whole{.axes = 2, .first = {}, .end = {10, 1000000}};

TEST(Places, numbers_and_places_are_inverse) {
  const std::vector<Indexes> places = {{3, 7}, {0, 0}, {9, 999999}};
  const auto numbers = numbers_of(whole, places);
  EXPECT_EQ(numbers, (std::vector<Extent>{73, 0, 9999999}));
  for (std::size_t i = 0; i < places.size(); ++i) EXPECT_EQ(place_of(whole, numbers[i]), places[i]);
}

TEST(Places, sorts_and_leaves_one_of_each) {
  std::vector<Extent> close = {5, 3, 64, 3, 5, 130}, far = {9999999, 4, 4, 0};
  sort_unique(close);
  sort_unique(far);
  EXPECT_EQ(close, (std::vector<Extent>{3, 5, 64, 130}));
  EXPECT_EQ(far, (std::vector<Extent>{0, 4, 9999999}));
}

TEST(Places, runs_end_where_a_row_does) {
  std::vector<Box> runs;
  for_each_run(whole, std::vector<Extent>{8, 9, 10, 11, 40},
               [&](const Box& run) { runs.push_back(run); });
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0], (Box{.axes = 2, .first = {8, 0}, .end = {10, 1}}));
  EXPECT_EQ(runs[1], (Box{.axes = 2, .first = {0, 1}, .end = {2, 2}}));
  EXPECT_EQ(runs[2], (Box{.axes = 2, .first = {0, 4}, .end = {1, 5}}));
}

TEST(Places, finds_the_first_that_two_lists_share) {
  const std::vector<Extent> a = {1, 4, 5, 6, 20}, b = {2, 5, 6, 21}, c = {0, 30};
  EXPECT_EQ(first_common(whole, a, b), (Box{.axes = 2, .first = {5, 0}, .end = {7, 1}}));
  EXPECT_TRUE(first_common(whole, a, c).is_empty());
}

}  // namespace
}  // namespace blockyard::garray
