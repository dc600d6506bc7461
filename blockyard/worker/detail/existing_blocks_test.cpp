// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/existing_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace blockyard::worker::detail {
namespace {

using wire::BlockList;
using wire::ListBlocks;

constexpr std::int32_t some_array = 4;

BlockList list(std::uint64_t generation, std::vector<std::uint64_t> numbers) {
  return {0, true, std::move(numbers), generation};
}

bool contains_any(const ExistingBlocks& blocks, int server,
                  const std::vector<std::uint64_t>& numbers) {
  return std::ranges::any_of(numbers,
                             [&](std::uint64_t number) { return blocks.contains(server, number); });
}

bool contains_all(const ExistingBlocks& blocks, int server,
                  const std::vector<std::uint64_t>& numbers) {
  return std::ranges::all_of(numbers,
                             [&](std::uint64_t number) { return blocks.contains(server, number); });
}

TEST(ExistingBlocks, asks_each_server_for_what_it_has_not_listed) {
  ExistingBlocks blocks(some_array);
  EXPECT_FALSE(blocks.is_current(0));
  EXPECT_EQ(blocks.question(0), (ListBlocks{0, some_array, "", 0, 0}));
  blocks.take(0, list(7, {4, 2}));
  EXPECT_TRUE(blocks.is_current(0));
  EXPECT_FALSE(blocks.is_current(1)) << "it was not asked";
  blocks.take(1, list(3, {5}));
  blocks.outdate();
  EXPECT_FALSE(blocks.is_current(0) || blocks.is_current(1));
  EXPECT_EQ(blocks.question(0), (ListBlocks{0, some_array, "", 7, 2}));
  EXPECT_EQ(blocks.question(1), (ListBlocks{0, some_array, "", 3, 1}));
  blocks.take(0, list(7, {8}));
  blocks.take(1, list(3, {}));
  EXPECT_EQ(blocks.question(0), (ListBlocks{0, some_array, "", 7, 3}));
  EXPECT_EQ(blocks.question(1), (ListBlocks{0, some_array, "", 3, 1}));
  EXPECT_TRUE(contains_all(blocks, 0, {2, 4, 8}) && contains_all(blocks, 1, {5}));
  EXPECT_FALSE(contains_any(blocks, 0, {0}) || contains_any(blocks, 1, {1, 3, 7}));
}

TEST(ExistingBlocks, counts_what_was_put_here_once_it_is_listed) {
  ExistingBlocks blocks(some_array);
  blocks.take(0, list(1, {0}));
  blocks.add(0, 3);
  EXPECT_TRUE(blocks.contains(0, 3));
  EXPECT_EQ(blocks.question(0), (ListBlocks{0, some_array, "", 1, 1}));
  blocks.take(0, list(1, {3, 5}));
  EXPECT_EQ(blocks.question(0), (ListBlocks{0, some_array, "", 1, 3}));
}

TEST(ExistingBlocks, forgets_those_of_a_server_whose_blocks_went) {
  ExistingBlocks blocks(some_array);
  blocks.take(0, list(1, {0, 2}));
  blocks.take(1, list(1, {1}));
  blocks.add(0, 6);
  blocks.take(0, list(2, {8}));
  blocks.take(1, list(1, {3}));
  EXPECT_TRUE(contains_all(blocks, 0, {8}) && contains_all(blocks, 1, {1, 3}));
  EXPECT_FALSE(contains_any(blocks, 0, {0, 2, 6}));
  blocks.take(0, list(0, {}));
  blocks.take(1, list(0, {}));
  EXPECT_FALSE(contains_any(blocks, 0, {8}) || contains_any(blocks, 1, {1, 3}));
  EXPECT_EQ(blocks.question(0), (ListBlocks{0, some_array, "", 0, 0}));
}

}  // namespace
}  // namespace blockyard::worker::detail
