// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <vector>

#include "blockyard/array/block_id.h"
#include "blockyard/array/grid.h"
#include "blockyard/array/segments.h"
#include "blockyard/base/error.h"

namespace blockyard::array {
namespace {

TEST(Segments, know_extent_and_offset) {
  Segments segments;
  segments.set(IndexKind::ao, {5, 9, 2});
  EXPECT_EQ(segments.count(IndexKind::ao), 3);
  EXPECT_EQ(segments.offset(IndexKind::ao, 3), 14);
  EXPECT_EQ(segments.extent(IndexKind::simple, -17), 1);
  EXPECT_THROW((void)segments.extent(IndexKind::ao, 4), base::Error);
  EXPECT_THROW((void)segments.extent(IndexKind::mo, 1), base::Error);
  EXPECT_THROW(segments.set(IndexKind::mo, {3, 0}), base::Error);
}

TEST(Axis, knows_extent_and_offset_of_each_segment) {
  std::mt19937 random(7);
  for (const std::size_t count : {1U, 2U, 50U, 9000U}) {  // beyond the looked-up range as well
    std::vector<Extent> extents(count);
    for (Extent& extent : extents) extent = static_cast<Extent>(random() % 3);
    const Axis axis(IndexKind::ao, -4, extents);
    EXPECT_EQ(axis.extents(), extents);
    EXPECT_EQ(axis.count(), static_cast<std::int64_t>(count));
    EXPECT_EQ(axis.longest(), *std::ranges::max_element(extents));
    Extent offset = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const std::int64_t value = static_cast<std::int64_t>(k) - 4;
      ASSERT_EQ(axis.extent(value), extents[k]);
      ASSERT_EQ(axis.offset(value), offset);
      offset += extents[k];
    }
    EXPECT_EQ(axis.element_count(), offset);
    EXPECT_TRUE(axis.contains(axis.first()) && axis.contains(axis.last()));
    EXPECT_FALSE(axis.contains(axis.first() - 1) || axis.contains(axis.last() + 1));
  }
}

TEST(Axis, of_many_equal_segments_takes_no_more_memory_than_a_short_one) {
  Axis axis(IndexKind::simple, 1);
  axis.append(1, std::int64_t{1} << 61);  // as a list it would not fit anywhere
  axis.append(5);
  EXPECT_EQ(axis.offset(axis.last()), std::int64_t{1} << 61);
  EXPECT_EQ(axis.extent(axis.last() - 1), 1);
  EXPECT_THROW(axis.append(1, std::int64_t{1} << 61), base::Error);
  EXPECT_THROW(axis.append(std::int64_t{1} << 62), base::Error);
}

TEST(Grid, numbers_blocks_with_the_first_index_fastest_and_back) {
  const Grid grid({{IndexKind::ao, 2, std::vector<Extent>{5, 9}},
                   {IndexKind::mo, 1, std::vector<Extent>{2, 3, 4}}});
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
  std::vector<Axis> axes(8, {IndexKind::ao, 1, std::vector<Extent>(1000, 1000)});
  EXPECT_THROW(Grid{axes}, base::Error);
}

TEST(Home, deals_the_blocks_of_an_array_round_the_servers) {
  std::array<int, 3> counts{};
  for (std::uint64_t k = 0; k < 300; ++k) ++counts[static_cast<std::size_t>(home_of({4, k}, 3))];
  EXPECT_EQ(counts, (std::array<int, 3>{100, 100, 100}));
}

TEST(Home, was_one_of_the_former_homes_when_there_were_other_servers) {
  for (int servers = 1; servers <= 12; ++servers)
    for (int before = 1; before <= 12; ++before) {
      std::vector<std::set<int>> found(static_cast<std::size_t>(servers));
      for (std::uint64_t number = 0; number < 12 * 12; ++number)
        found[static_cast<std::size_t>(home_of({4, number}, servers))].insert(
            home_of({4, number}, before));
      for (int server = 0; server < servers; ++server) {
        const std::vector<int> homes = former_homes(server, servers, before);
        EXPECT_EQ(std::set<int>(homes.begin(), homes.end()),
                  found[static_cast<std::size_t>(server)])
            << server << " of " << servers << ", of " << before;
        EXPECT_EQ(homes.size(), found[static_cast<std::size_t>(server)].size()) << "each once";
      }
    }
}

TEST(BlockId, hashes_apart) {
  std::set<std::size_t> seen;
  for (std::int32_t a = 0; a < 20; ++a)
    for (std::uint64_t k = 0; k < 100; ++k) seen.insert(hash_of({a, k}));
  EXPECT_EQ(seen.size(), 2000U);
}

}  // namespace
}  // namespace blockyard::array
