// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "blockyard/base/error.h"

namespace blockyard::base {
namespace {

TEST(BufferPool, charges_at_most_an_eighth_more_than_asked) {
  for (std::size_t size = 1; size < (1U << 22); size = size + size / 7 + 1) {
    const std::size_t charge = BufferPool::charge(size);
    EXPECT_GE(charge, size);
    EXPECT_LE(charge, size + size / 8 + 64) << size;
  }
}

TEST(BufferPool, refuses_what_no_memory_holds) {
  BufferPool pool(1 << 20);
  for (const std::size_t size : {SIZE_MAX, SIZE_MAX - 7, SIZE_MAX / 16 * 15 + 16})
    EXPECT_THROW((void)pool.allocate(size), Error) << size;
}

TEST(BufferPool, gives_aligned_memory_and_reuses_it) {
  BufferPool pool(1 << 20);
  std::byte* first = nullptr;
  {
    Buffer buffer = pool.allocate(1000);
    first = buffer.data();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 64, 0U);
    EXPECT_EQ(buffer.size(), 1000U);
    EXPECT_TRUE(buffer.is_new());
  }
  EXPECT_EQ(pool.live_bytes(), 0U);
  const Buffer again = pool.allocate(1010);
  EXPECT_EQ(again.data(), first);
  EXPECT_FALSE(again.is_new());
}

/// A vector of 64 bytes at any aligned place of a block is in its memory, so a tail needs no care.
TEST(BufferPool, gives_whole_cache_lines_that_may_be_written) {
  BufferPool pool(0);
  for (const std::size_t size : {1U, 100U, 4097U, 5U << 20}) {
    const std::size_t bytes = BufferPool::charge(size);
    EXPECT_EQ(bytes % 64, 0U);
    Buffer buffer = pool.allocate(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0U);
    std::fill_n(buffer.data(), (size + 63) / 64 * 64, std::byte{1});
  }
}

TEST(BufferPool, frees_what_it_keeps_when_told) {
  BufferPool pool(1 << 20);
  { const Buffer first = pool.allocate(1000); }
  const Buffer held = pool.allocate(5000);
  pool.free_kept();
  EXPECT_EQ(pool.live_bytes(), BufferPool::charge(5000));
  const Buffer next = pool.allocate(1000);
  EXPECT_EQ(next.size(), 1000U);
}

TEST(BufferPool, frees_kept_memory_of_other_sizes_before_it_passes_its_limit) {
  BufferPool pool(1 << 16);
  { const Buffer large = pool.allocate(60000); }
  const Buffer other = pool.allocate(30000);
  EXPECT_LE(pool.live_bytes(), std::size_t{1} << 16);
  EXPECT_EQ(pool.peak_live_bytes(), BufferPool::charge(60000));
}

TEST(BufferPool, answers_with_the_best_fit_that_it_keeps) {
  BufferPool pool(1 << 20);
  std::byte* larger = nullptr;
  {
    Buffer much = pool.allocate(10000);
    Buffer more = pool.allocate(7000);
    larger = more.data();
  }
  Buffer buffer = pool.allocate(6200);
  EXPECT_EQ(buffer.data(), larger);
  EXPECT_EQ(pool.live_bytes(), BufferPool::charge(7000));
  buffer = Buffer();
  EXPECT_EQ(pool.live_bytes(), 0U);
  EXPECT_EQ(pool.allocate(7000).data(), larger) << "it went back as what it is";
  EXPECT_NE(pool.allocate(4000).data(), larger) << "too much would lie idle";
}

TEST(BufferPool, never_passes_its_limit_for_a_better_fit) {
  BufferPool pool(BufferPool::charge(6200) + BufferPool::charge(1000));
  const Buffer held = pool.allocate(1000);
  { const Buffer larger = pool.allocate(6200); }
  { const Buffer larger = pool.allocate(7000); }  // frees that: one of both fits
  const Buffer buffer = pool.allocate(6200);
  EXPECT_LE(pool.live_bytes(), BufferPool::charge(6200) + BufferPool::charge(1000));
}

TEST(BufferPool, asks_the_system_seldom_where_it_cuts_from_chunks) {
  BufferPool pool(std::size_t{4} << 30);
  pool.cut_from_chunks();
  std::vector<Buffer> buffers;
  std::size_t asked = 0;
  for (std::size_t k = 0; k < 4000; ++k) {
    buffers.push_back(pool.allocate(k % 3 == 0 ? 70000 : 1000 + k));
    asked += buffers.back().is_new() ? 1 : 0;
    std::fill(buffers.back().bytes().begin(), buffers.back().bytes().end(), std::byte(k));
    const std::size_t begins_at = k % 3 == 0 ? 4096 : 64;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffers.back().data()) % begins_at, 0U);
  }
  EXPECT_LE(asked, 16U) << "of 100 MB";
  for (std::size_t k = 0; k < buffers.size(); ++k)
    EXPECT_TRUE(
        std::ranges::all_of(buffers[k].bytes(), [&](std::byte b) { return b == std::byte(k); }));
  const std::span<const std::byte> whole = pool.locked_with(buffers[0].bytes());
  EXPECT_EQ(pool.locked_with(buffers[1].bytes()).data(), whole.data());
  EXPECT_LE(buffers[1].data() + buffers[1].size(), whole.data() + whole.size());
}

TEST(BufferPool, gives_a_chunk_back_when_nothing_of_it_is_in_use) {
  std::vector<const std::byte*> gone;
  BufferPool pool(std::size_t{64} << 20);  // tells of what leaves to its end
  pool.cut_from_chunks();
  pool.on_leave([&](const std::byte* data) { gone.push_back(data); });
  Buffer stays = pool.allocate(1000);
  const std::byte* const begin = pool.locked_with(stays.bytes()).data();
  { const Buffer goes = pool.allocate(5000); }
  stays.data()[0] = std::byte{7};
  pool.free_kept();
  EXPECT_TRUE(gone.empty());
  EXPECT_EQ(stays.data()[0], std::byte{7});
  EXPECT_FALSE(pool.allocate(5000).is_new()) << "it was kept";
  stays = Buffer();
  EXPECT_EQ(pool.live_bytes(), 0U);
  pool.free_kept();
  EXPECT_EQ(gone, std::vector{begin});
  EXPECT_TRUE(pool.allocate(5000).is_new());
}

TEST(BufferPool, cuts_neither_long_memory_nor_more_than_its_share) {
  BufferPool pool(std::size_t{16} << 20);
  pool.cut_from_chunks();
  const Buffer longest = pool.allocate(400000);
  EXPECT_EQ(pool.locked_with(longest.bytes()).data(), longest.data());
  std::vector<Buffer> buffers;
  std::size_t cut = 0;
  for (int k = 0; k < 100; ++k) {
    buffers.push_back(pool.allocate(100000));
    if (pool.locked_with(buffers.back().bytes()).size() > std::size_t{1} << 18) ++cut;
  }
  EXPECT_GE(cut, 8U);
  EXPECT_LE(cut, 10U);
  EXPECT_EQ(pool.live_bytes(), BufferPool::charge(400000) + 100 * BufferPool::charge(100000));
}

TEST(BufferPool, cuts_own_and_shared_memory_within_one_limit) {
  BufferPool pool(std::size_t{64} << 20);
  const SharedArena* const arena = pool.share();
  ASSERT_NE(arena, nullptr);
  pool.cut_from_chunks();
  std::vector<Buffer> buffers;
  std::set<const std::byte*> chunks;
  std::size_t bytes = 0;
  for (std::size_t k = 0; k < 400; ++k) {
    const bool is_long = k % 2 == 1;
    buffers.push_back(pool.allocate(is_long ? 100000 : 20000));
    EXPECT_EQ(arena->holds(buffers.back().data()), is_long);
    const auto chunk = pool.locked_with(buffers.back().bytes());
    if (chunk.size() > 100000 && chunks.insert(chunk.data()).second) bytes += chunk.size();
  }
  EXPECT_GE(chunks.size(), 4U);
  EXPECT_GT(bytes, std::size_t{3} << 20);
  EXPECT_LE(bytes, std::size_t{4} << 20);
  buffers.clear();
  pool.free_kept();
  EXPECT_TRUE(pool.allocate(100000).is_new());
  EXPECT_TRUE(pool.allocate(20000).is_new());
}

TEST(BufferPool, cuts_chunks_of_whole_pages_whatever_its_limit) {
  BufferPool pool((std::size_t{64} << 20) + 12345);
  const SharedArena* const arena = pool.share();
  ASSERT_NE(arena, nullptr);
  pool.cut_from_chunks();
  std::vector<Buffer> buffers;
  for (std::size_t k = 0; k < 300; ++k) {
    buffers.push_back(pool.allocate(k % 2 == 0 ? 70000 : 3000));
    const auto begin = reinterpret_cast<std::uintptr_t>(buffers.back().data());
    EXPECT_EQ(begin % (k % 2 == 0 ? 4096 : 64), 0U);
    const auto chunk = pool.locked_with(buffers.back().bytes());
    EXPECT_TRUE(chunk.size() <= 70000 || chunk.size() % 4096 == 0) << chunk.size();
  }
}

TEST(BufferPool, cuts_four_long_pieces_from_their_chunk) {
  BufferPool pool(std::size_t{1} << 30);
  pool.cut_from_chunks();
  std::vector<Buffer> buffers;
  for (int k = 0; k < 4; ++k) buffers.push_back(pool.allocate(std::size_t{9} << 18));
  EXPECT_TRUE(buffers[0].is_new());
  for (int k = 1; k < 4; ++k) EXPECT_FALSE(buffers[k].is_new());
}

TEST(BufferPool, cuts_short_pieces_from_what_a_long_one_left) {
  BufferPool pool(std::size_t{256} << 20);
  pool.cut_from_chunks();
  const Buffer first = pool.allocate(1000);
  const Buffer other = pool.allocate(900000);
  EXPECT_NE(pool.locked_with(other.bytes()).data(), pool.locked_with(first.bytes()).data());
  EXPECT_GE(pool.locked_with(other.bytes()).size(), 3600000U);
  const Buffer third = pool.allocate(300000);
  EXPECT_FALSE(third.is_new()) << "there is room in both chunks";
}

TEST(BufferPool, makes_no_chunk_that_would_pass_its_limit) {
  BufferPool pool(std::size_t{16} << 20);
  pool.cut_from_chunks();
  std::vector<Buffer> most;
  while (pool.live_bytes() + (std::size_t{500} << 10) < std::size_t{16} << 20)
    most.push_back(pool.allocate(400000));
  const Buffer piece = pool.allocate(1000);
  EXPECT_EQ(pool.locked_with(piece.bytes()).data(), piece.data());
  EXPECT_EQ(pool.locked_with(piece.bytes()).size(), 1000U) << "half a MiB does not fit";
  most.pop_back();
  most.pop_back();
  const Buffer other = pool.allocate(1100);
  EXPECT_EQ(pool.locked_with(other.bytes()).size(), std::size_t{512} << 10) << "now there is";
}

TEST(BufferPool, shares_memory_of_middle_length_for_others_to_read) {
  BufferPool pool(1 << 20);
  const Buffer before = pool.allocate(BufferPool::shared_from);
  const SharedArena* const arena = pool.share();
  ASSERT_NE(arena, nullptr);
  EXPECT_EQ(pool.share(), arena);
  const SharedMemory seen = SharedMemory::open(arena->address(), SharedMemory::Access::read);
  ASSERT_TRUE(seen);
  for (const std::size_t size : {std::size_t{40000}, std::size_t{1} << 20}) {
    Buffer buffer = pool.allocate(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 4096, 0U);
    ASSERT_TRUE(arena->holds(buffer.data()));
    buffer.data()[size - 1] = std::byte{7};
    EXPECT_EQ(seen.data()[arena->offset_of(buffer.data()) + size - 1], std::byte{7});
  }
  EXPECT_FALSE(arena->holds(before.data()));
  EXPECT_FALSE(arena->holds(pool.allocate(1000).data()));
  EXPECT_FALSE(arena->holds(pool.allocate(3 << 20).data()));
}

TEST(BufferPool, gives_shared_memory_back_to_the_system) {
  BufferPool pool(1 << 20);
  const SharedArena* const arena = pool.share();
  ASSERT_NE(arena, nullptr);
  const SharedMemory seen = SharedMemory::open(arena->address(), SharedMemory::Access::read);
  std::size_t offset = 0;
  {
    Buffer buffer = pool.allocate(100000);
    buffer.data()[0] = std::byte{7};
    offset = arena->offset_of(buffer.data());
  }
  pool.free_kept();
  EXPECT_EQ(seen.data()[offset], std::byte{0}) << "the page has gone";
  const Buffer again = pool.allocate(100000);
  EXPECT_EQ(arena->offset_of(again.data()), offset);
  EXPECT_TRUE(again.is_new());
}

TEST(SharedMemory, is_not_taken_for_another_of_the_same_number) {
  const SharedMemory mine(5000);
  MemoryAddress address = mine.address();
  EXPECT_TRUE(SharedMemory::open(address));
  ++address.name;
  EXPECT_FALSE(SharedMemory::open(address));
  EXPECT_FALSE(SharedMemory::open({}));
}

TEST(Buffer, that_is_lent_has_no_holder_who_may_write) {
  std::vector<std::byte> theirs(100);
  const auto lent = std::make_shared<Buffer>(Buffer::lent(theirs.data(), theirs.size()));
  EXPECT_TRUE(lent->is_lent());
  EXPECT_FALSE(is_sole_holder(lent));
  EXPECT_FALSE(Buffer().is_lent());
  BufferPool pool(1 << 20);
  EXPECT_FALSE(pool.allocate(100).is_lent());
}

TEST(BufferPool, tells_of_memory_before_it_goes_and_begins_it_at_a_page) {
  std::vector<const std::byte*> gone;
  BufferPool pool(1 << 20);
  pool.on_leave([&](const std::byte* data) { gone.push_back(data); });
  const std::byte* first = nullptr;
  {
    const Buffer buffer = pool.allocate(BufferPool::page_from);
    first = buffer.data();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 4096, 0U);
  }
  EXPECT_TRUE(gone.empty());
  pool.free_kept();
  EXPECT_EQ(gone, std::vector{first});
}

}  // namespace
}  // namespace blockyard::base
