// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "blockyard/array/block_id.h"
#include "blockyard/array/grid.h"
#include "blockyard/base/error.h"

namespace blockyard::array {
namespace {

TEST(Segments, know_extent_offset_and_subsegments) {
  Segments segments;
  segments.set(IndexKind::ao, {5, 9, 2});
  segments.set_subsegment(4);
  EXPECT_EQ(segments.count(IndexKind::ao), 3);
  EXPECT_EQ(segments.offset(IndexKind::ao, 3), 14);
  EXPECT_EQ(segments.subsegment_count(IndexKind::ao, 2), 3);
  EXPECT_EQ(segments.extent(IndexKind::simple, -17), 1);
  EXPECT_THROW((void)segments.extent(IndexKind::ao, 4), base::Error);
  EXPECT_THROW((void)segments.extent(IndexKind::mo, 1), base::Error);
  EXPECT_THROW(segments.set(IndexKind::mo, {3, 0}), base::Error);
}

TEST(Grid, numbers_blocks_with_the_first_index_fastest_and_back) {
  const Grid grid({{IndexKind::ao, 2, {5, 9}, {}}, {IndexKind::mo, 1, {2, 3, 4}, {}}});
  EXPECT_EQ(grid.block_count(), 6U);
  EXPECT_EQ(grid.element_count(), 14 * 9);
  EXPECT_EQ(grid.largest_block(), 36);
  for (std::uint64_t number = 0; number < 6; ++number) {
    std::array<std::int64_t, 2> segments{};
    grid.segments_of(number, segments);
    EXPECT_EQ(grid.number_of(segments), number);
  }
  EXPECT_EQ(grid.number_of(std::array<std::int64_t, 2>{3, 1}), 1U);
  EXPECT_FALSE(grid.contains(0, 1));
  EXPECT_TRUE(grid.contains(0, 3));
  EXPECT_EQ(grid.offset(1, 3), 5);
}

TEST(Grid, of_order_0_has_one_block_of_one_element) {
  const Grid grid(std::vector<Axis>{});
  EXPECT_EQ(grid.block_count(), 1U);
  EXPECT_EQ(grid.largest_block(), 1);
}

TEST(Grid, refuses_what_cannot_be_numbered) {
  std::vector<Axis> axes(8, {IndexKind::ao, 1, std::vector<Extent>(1000, 1000), {}});
  EXPECT_THROW(Grid{axes}, base::Error);
}

TEST(Home, deals_the_blocks_of_an_array_round_the_servers) {
  std::array<int, 3> counts{};
  for (std::uint64_t k = 0; k < 300; ++k) ++counts[static_cast<std::size_t>(home_of({4, k}, 3))];
  EXPECT_EQ(counts, (std::array<int, 3>{100, 100, 100}));
}

TEST(BlockId, hashes_apart) {
  std::set<std::size_t> seen;
  for (std::int32_t a = 0; a < 20; ++a)
    for (std::uint64_t k = 0; k < 100; ++k) seen.insert(hash_of({a, k}));
  EXPECT_EQ(seen.size(), 2000U);
}

}  // namespace
}  // namespace blockyard::array
