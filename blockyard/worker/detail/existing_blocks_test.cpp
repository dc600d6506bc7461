// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/existing_blocks.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace blockyard::worker::detail {
namespace {

using wire::BlockList;
using wire::ListBlocks;

constexpr std::int32_t some_array = 4;

BlockList list(std::uint64_t generation, std::vector<std::uint64_t> numbers) {
  return {0, true, std::move(numbers), generation};
}

void take(ExistingBlocks& blocks, std::initializer_list<BlockList> answers) {
  blocks.take({answers.begin(), answers.size()});
}

TEST(ExistingBlocks, asks_each_server_for_what_it_has_not_listed) {
  ExistingBlocks blocks(some_array, 2);
  EXPECT_FALSE(blocks.is_current());
  EXPECT_EQ(blocks.question(0), (ListBlocks{0, some_array, "", 0, 0}));
  take(blocks, {list(7, {4, 2}), list(3, {5})});
  EXPECT_TRUE(blocks.is_current());
  blocks.outdate();
  EXPECT_FALSE(blocks.is_current());
  EXPECT_EQ(blocks.question(0), (ListBlocks{0, some_array, "", 7, 2}));
  EXPECT_EQ(blocks.question(1), (ListBlocks{0, some_array, "", 3, 1}));
  take(blocks, {list(7, {8}), list(3, {})});
  EXPECT_EQ(blocks.question(0), (ListBlocks{0, some_array, "", 7, 3}));
  EXPECT_EQ(blocks.question(1), (ListBlocks{0, some_array, "", 3, 1}));
  for (const std::uint64_t number : {2, 4, 5, 8}) EXPECT_TRUE(blocks.contains(number)) << number;
  for (const std::uint64_t number : {0, 1, 3, 7}) EXPECT_FALSE(blocks.contains(number)) << number;
}

TEST(ExistingBlocks, counts_what_was_put_here_once_it_is_listed) {
  ExistingBlocks blocks(some_array, 1);
  take(blocks, {list(1, {0})});
  blocks.add(3);
  EXPECT_TRUE(blocks.contains(3));
  EXPECT_EQ(blocks.question(0), (ListBlocks{0, some_array, "", 1, 1}));
  take(blocks, {list(1, {3, 5})});
  EXPECT_EQ(blocks.question(0), (ListBlocks{0, some_array, "", 1, 3}));
}

TEST(ExistingBlocks, forgets_those_of_a_server_whose_blocks_went) {
  ExistingBlocks blocks(some_array, 2);
  take(blocks, {list(1, {0, 2}), list(1, {1})});
  blocks.add(6);
  take(blocks, {list(2, {8}), list(1, {3})});
  for (const std::uint64_t number : {1, 3, 8}) EXPECT_TRUE(blocks.contains(number)) << number;
  for (const std::uint64_t number : {0, 2, 6}) EXPECT_FALSE(blocks.contains(number)) << number;
  take(blocks, {list(0, {}), list(0, {})});
  for (const std::uint64_t number : {1, 3, 8}) EXPECT_FALSE(blocks.contains(number)) << number;
  EXPECT_EQ(blocks.question(0), (ListBlocks{0, some_array, "", 0, 0}));
}

}  // namespace
}  // namespace blockyard::worker::detail
