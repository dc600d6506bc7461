// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>

#include "blockyard/base/error.h"
#include "blockyard/block/cache.h"

namespace blockyard::block {
namespace {

constexpr std::size_t block_bytes = 1024;

/// Blocks below number 100; all that were asked for arrive after one wait.
class MapSource : public BlockSource {
 public:
  explicit MapSource(base::BufferPool& pool) : pool_(pool) {}
  void fetch(const array::BlockId& id, const Asker&, Arrival& into) override {
    ++fetches;
    pending_[&into] = id;
    if (waited_) deliver();
  }
  bool wait() override {
    waited_ = true;
    deliver();
    return true;
  }
  void abandon() noexcept override { pending_.clear(); }
  [[nodiscard]] std::size_t pending() const { return pending_.size(); }
  int fetches = 0;

 private:
  void deliver() {
    for (const auto& [into, id] : pending_) {
      into->is_here = true;
      if (id.number < 100)
        into->frame = std::make_shared<base::Buffer>(pool_.allocate(block_bytes));
    }
    pending_.clear();
  }
  base::BufferPool& pool_;
  std::map<Arrival*, array::BlockId> pending_;
  bool waited_ = false;
};

struct Fixture : ::testing::Test {
  base::BufferPool buffers{1 << 20};
  FramePool frames{buffers, 3 * static_cast<std::int64_t>(block_bytes)};
  MapSource source{buffers};
  BlockCache cache{frames, source};
  Fixture() {
    frames.on_shortage([this] { return cache.evict_one(); });
  }
};

using BlockCacheTest = Fixture;
using FramePoolTest = Fixture;

TEST_F(BlockCacheTest, shows_a_block_that_has_come_without_waiting_for_it) {
  EXPECT_EQ(cache.peek({0, 1}), nullptr);
  cache.request({0, 1}, block_bytes, {0});
  EXPECT_EQ(cache.peek({0, 1}), nullptr);
  source.wait();
  EXPECT_NE(cache.peek({0, 1}), nullptr);
}

TEST_F(FramePoolTest, reuses_a_frame_without_asking_the_process) {
  Frame frame = frames.allocate(block_bytes);
  const auto* data = frame->data();
  frames.recycle(std::move(frame));
  EXPECT_EQ(frames.used_bytes(), 0);
  EXPECT_EQ(frames.allocate(block_bytes)->data(), data);
  EXPECT_EQ(frames.uses().requests, 2U);
  EXPECT_EQ(frames.uses().hits, 1U);
}

TEST_F(FramePoolTest, gives_a_reused_frame_the_length_asked_for) {
  frames.recycle(frames.allocate(block_bytes));
  EXPECT_EQ(frames.allocate(block_bytes - 8)->size(), block_bytes - 8);
}

TEST_F(FramePoolTest, does_not_reuse_a_frame_that_another_owner_holds) {
  Frame frame = frames.allocate(block_bytes);
  const SharedFrame under_way = frame;
  frames.recycle(std::move(frame));
  EXPECT_NE(frames.allocate(block_bytes)->data(), under_way->data());
}

TEST_F(FramePoolTest, gives_what_it_keeps_back_to_the_process_when_told) {
  Frame held = frames.allocate(block_bytes);
  const std::size_t live = buffers.live_bytes();
  frames.recycle(frames.allocate(2 * block_bytes));
  EXPECT_GT(buffers.live_bytes(), live);
  frames.free_kept();
  EXPECT_EQ(buffers.live_bytes(), live);
  frames.recycle(std::move(held));
}

TEST_F(FramePoolTest, says_what_does_not_fit) {
  const Frame one = frames.allocate(block_bytes);
  try {
    (void)frames.allocate(10 * block_bytes);
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::Errc::no_memory);
    EXPECT_NE(std::string(error.what()).find("--memory"), std::string::npos);
  }
}

TEST_F(BlockCacheTest, fetches_a_block_once) {
  const auto pin = cache.request({0, 1}, block_bytes, {7});
  EXPECT_TRUE(cache.complete(pin));
  EXPECT_FALSE(cache.complete(cache.request({0, 1}, block_bytes, {8})));
  EXPECT_EQ(source.fetches, 1);
  EXPECT_EQ(cache.hits(), 1U);
}

TEST_F(BlockCacheTest, evicts_only_what_is_not_pinned_least_recently_used_first) {
  for (std::uint64_t k = 0; k < 3; ++k) cache.complete(cache.request({0, k}, block_bytes, {0}));
  const auto pin = cache.find({0, 0});
  (void)cache.find({0, 1});
  cache.complete(cache.request({0, 3}, block_bytes, {0}));
  EXPECT_TRUE(cache.find({0, 0}));
  EXPECT_TRUE(cache.find({0, 1}));
  EXPECT_FALSE(cache.find({0, 2}));
  EXPECT_LE(frames.used_bytes(), frames.budget_bytes());
}

TEST_F(BlockCacheTest, remembers_that_a_block_was_never_written_and_charges_nothing_for_it) {
  const auto pin = cache.request({0, 100}, block_bytes, {0});
  cache.complete(pin);
  EXPECT_TRUE(pin.is_missing());
  EXPECT_EQ(frames.used_bytes(), 0);
}

TEST_F(BlockCacheTest, prefetches_into_room_that_is_free_or_held_by_unused_blocks_only) {
  FramePool wide(buffers, 8 * static_cast<std::int64_t>(block_bytes));
  BlockCache large(wide, source);
  EXPECT_TRUE(large.prefetch({0, 1}, block_bytes, {0}));
  EXPECT_TRUE(large.prefetch({0, 1}, block_bytes, {0}));
  EXPECT_TRUE(large.prefetch({0, 2}, block_bytes, {0}));
  EXPECT_FALSE(large.prefetch({0, 3}, block_bytes, {0})) << "a quarter is full";
  EXPECT_EQ(source.fetches, 2);
  large.complete(large.request({0, 1}, block_bytes, {0}));
  EXPECT_TRUE(large.prefetch({0, 3}, block_bytes, {0})) << "one of them is in use now";
  EXPECT_EQ(large.prefetches(), 3U);
  EXPECT_EQ(large.hits(), 1U);
}

TEST_F(BlockCacheTest, makes_room_at_once_of_blocks_that_nothing_uses) {
  FramePool tight(buffers, 12 * static_cast<std::int64_t>(block_bytes));
  BlockCache small(tight, source);
  tight.on_shortage([&] { return small.evict_one(); }, [&] { return small.evict_used(); });
  for (std::uint64_t number = 1; number <= 2; ++number)
    small.complete(small.request({0, number}, block_bytes, {0}));
  const BlockCache::Pin pin = small.request({0, 3}, block_bytes, {0});
  small.complete(pin);
  ASSERT_TRUE(small.prefetch({0, 4}, block_bytes, {0}));
  const Frame most = tight.allocate(8 * block_bytes);
  EXPECT_FALSE(tight.has_room(block_bytes));
  EXPECT_TRUE(tight.finds_room(2 * block_bytes));
  EXPECT_FALSE(tight.finds_room(3 * block_bytes)) << "one is pinned, one was asked for early";
  EXPECT_FALSE(small.find({0, 1}));
  EXPECT_TRUE(small.find({0, 4}));
}

TEST_F(BlockCacheTest, gives_up_prefetched_blocks_for_others_and_says_so) {
  FramePool tight(buffers, 4 * static_cast<std::int64_t>(block_bytes));
  BlockCache small(tight, source);
  tight.on_shortage([&] { return small.evict_one(); });
  std::vector<std::int32_t> wasted;
  small.on_waste([&](std::int32_t pc) { wasted.push_back(pc); });
  ASSERT_TRUE(small.prefetch({0, 1}, block_bytes, {17}));
  const Frame all = tight.allocate(4 * block_bytes);
  EXPECT_EQ(wasted, std::vector<std::int32_t>{17});
  EXPECT_FALSE(small.find({0, 1}));
}

TEST_F(BlockCacheTest, forgets_a_prefetched_block_that_is_about_to_change) {
  FramePool wide(buffers, 8 * static_cast<std::int64_t>(block_bytes));
  BlockCache large(wide, source);
  ASSERT_TRUE(large.prefetch({0, 1}, block_bytes, {0}));
  large.outdate({0, 1});
  EXPECT_FALSE(large.find({0, 1}));
  const BlockCache::Pin old = large.request({0, 1}, block_bytes, {0});
  large.complete(old);
  large.outdate({0, 1});
  EXPECT_TRUE(large.find({0, 1})) << "the program has asked for it";
  const int fetches = source.fetches;
  const BlockCache::Pin changed = large.request({0, 1}, block_bytes, {0});
  large.complete(changed);
  EXPECT_EQ(source.fetches, fetches + 1) << "it asks again";
  EXPECT_NE(changed.frame(), old.frame()) << "which who reads the old one does not notice";
}

TEST_F(BlockCacheTest, is_empty_after_a_barrier) {
  cache.request({0, 1}, block_bytes, {0});
  cache.clear();
  EXPECT_FALSE(cache.find({0, 1}));
  EXPECT_EQ(frames.used_bytes(), 0);
}

TEST_F(BlockCacheTest, a_forgotten_block_lasts_as_long_as_its_pins) {
  auto pin = cache.request({0, 1}, block_bytes, {0});
  cache.complete(pin);
  const auto second = pin.again();
  cache.forget(0);
  EXPECT_FALSE(cache.find({0, 1}));
  EXPECT_EQ(frames.used_bytes(), 0);
  pin = {};
  EXPECT_TRUE(second.is_only());
  EXPECT_NE(second.frame(), nullptr);
}

TEST_F(BlockCacheTest, wants_no_blocks_once_it_has_ended) {
  {
    BlockCache other(frames, source);
    other.request({0, 1}, block_bytes, {0});
    EXPECT_EQ(source.pending(), 1U);
  }
  EXPECT_EQ(source.pending(), 0U);
  EXPECT_EQ(frames.used_bytes(), 0);
}

}  // namespace
}  // namespace blockyard::block
