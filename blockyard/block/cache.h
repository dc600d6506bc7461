// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <unordered_map>
#include <utility>

#include "blockyard/array/block_id.h"
#include "blockyard/block/block_source.h"
#include "blockyard/block/frame.h"

namespace blockyard::block {

/// Copies of blocks from other homes, for one worker. A block stays while it is pinned; after that
/// until room is needed, least recently used first, or until clear(). Blocks are immutable. One
/// thread.
class BlockCache {
  struct Entry {
    array::BlockId id;
    Arrival arrival{};
    std::size_t size = 0;     ///< bytes charged
    bool is_waiting = true;   ///< the arrival has not been taken
    bool is_early = false;    ///< prefetched, and not asked for since
    bool is_stale = false;    ///< changed at its home since: the next request asks again
    bool is_renewed = false;  ///< asked for in place of one that was stale
    std::int32_t pins = 0;
    std::int32_t pc = 0;      ///< the instruction that asked for it
    double sent_seconds = 0;  ///< when it was asked for at its home
    [[nodiscard]] bool is_missing() const noexcept { return !is_waiting && !arrival.frame; }
  };

 public:
  /// Keeps one block in the cache. Does not outlive the cache.
  class Pin {
   public:
    Pin() = default;
    Pin(Pin&& other) noexcept : entry_(std::exchange(other.entry_, nullptr)) {}
    Pin& operator=(Pin&& other) noexcept {
      std::swap(entry_, other.entry_);
      return *this;
    }
    ~Pin() {
      if (entry_ != nullptr) --entry_->pins;
    }
    /// False: there is no block.
    explicit operator bool() const noexcept { return entry_ != nullptr; }
    [[nodiscard]] Pin again() const noexcept { return Pin(*entry_); }
    [[nodiscard]] bool is_only() const noexcept { return entry_->pins == 1; }
    /// It was asked for again, for its home had changed: other pins may hold what it was.
    /// True once.
    [[nodiscard]] bool is_renewed() const noexcept {
      return std::exchange(entry_->is_renewed, false);
    }

    /// Null while under way, and for a block never written.
    [[nodiscard]] const SharedFrame& frame() const noexcept { return entry_->arrival.frame; }
    [[nodiscard]] bool is_waiting() const noexcept { return entry_->is_waiting; }
    /// Never written at its home.
    [[nodiscard]] bool is_missing() const noexcept { return entry_->is_missing(); }
    /// The instruction that asked for it.
    [[nodiscard]] std::int32_t pc() const noexcept { return entry_->pc; }
    [[nodiscard]] double sent_seconds() const noexcept { return entry_->sent_seconds; }
    [[nodiscard]] double disk_seconds() const noexcept { return entry_->arrival.disk_seconds; }

   private:
    friend class BlockCache;
    explicit Pin(Entry& entry) noexcept : entry_(&entry) { ++entry.pins; }
    Entry* entry_ = nullptr;
  };

  BlockCache(FramePool& frames, BlockSource& source) : frames_(frames), source_(source) {}
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;
  ~BlockCache();

  /// Makes sure that block `id` of `size` bytes is here or in flight; a new one is charged to the
  /// budget.
  Pin request(const array::BlockId& id, std::size_t size, const Asker& asker);
  /// Asks for a block that will be requested soon, if it is neither here nor under way, and if
  /// there is room: free, or held by blocks that are not in use. Prefetched blocks that are not
  /// used yet take at most 1/early_share of the budget. Returns whether it is here or under way
  /// now.
  bool prefetch(const array::BlockId& id, std::size_t size, const Asker& asker);
  static constexpr std::int64_t early_share = 4;
  /// A block is about to change at its home. Forgets it if it was prefetched and not asked for
  /// since; otherwise it is found as it is until the next request.
  void outdate(const array::BlockId& id);
  /// Called for each block that was evicted before its first use, with the instruction that
  /// prefetched it.
  void on_waste(std::function<void(std::int32_t)> wasted) { wasted_ = std::move(wasted); }
  /// Called for each frame that is evicted or forgotten.
  void on_leave(std::function<void(const SharedFrame&)> leaves) { leaves_ = std::move(leaves); }
  /// A block that is here or under way; no pin otherwise. Counts as a use.
  [[nodiscard]] Pin find(const array::BlockId& id) noexcept;
  /// The block, if it is here. Never blocks; does not update recency.
  [[nodiscard]] SharedFrame peek(const array::BlockId& id);
  /// Waits until the block is here. Returns whether it had to wait.
  bool complete(const Pin& pin) { return complete(*pin.entry_); }

  /// Evicts a block that is not pinned: the least recently used; if there is none, the last one
  /// prefetched; as a last resort it waits for one in flight. False if all are pinned.
  [[nodiscard]] bool evict_one();
  /// Evicts the least recently used of those that are here, were asked for and are not pinned;
  /// waits for nothing. False: there is none.
  [[nodiscard]] bool evict_used() noexcept;
  /// Forgets everything, at a barrier: the next epoch may change any block. Waits for blocks
  /// in flight. A pinned block is no longer found, and ends with its last pin.
  void clear();
  /// The same for the blocks of one array.
  void forget(std::int32_t array);

  [[nodiscard]] std::uint64_t requests() const noexcept { return requests_; }
  /// Requests of blocks that were here or under way; of these, those that a prefetch had asked for.
  [[nodiscard]] std::uint64_t hits() const noexcept { return hits_; }
  [[nodiscard]] std::uint64_t early_hits() const noexcept { return early_hits_; }
  /// Blocks asked for by prefetch().
  [[nodiscard]] std::uint64_t prefetches() const noexcept { return prefetches_; }
  [[nodiscard]] std::uint64_t bytes_received() const noexcept { return bytes_received_; }
  /// Charged for blocks that are here or under way; of these, for those not asked for yet.
  [[nodiscard]] std::int64_t held_bytes() const noexcept { return held_bytes_; }
  [[nodiscard]] std::int64_t early_bytes() const noexcept { return early_bytes_; }

 private:
  using Order = std::list<Entry>;  ///< least recently used first
  [[nodiscard]] Entry* use(const array::BlockId& id) noexcept;
  Entry& ask(const array::BlockId& id, std::size_t size, const Asker& asker, bool is_early);
  bool complete(Entry& entry);
  void take(Entry& entry);
  void erase(Order::iterator at);
  void end_early(Entry& entry) noexcept;
  void drop_all() noexcept;
  void drop_forgotten() noexcept;

  FramePool& frames_;
  BlockSource& source_;
  Order order_;
  Order forgotten_;  ///< those that are pinned
  std::unordered_map<array::BlockId, Order::iterator, array::BlockIdHash> by_id_;
  std::uint64_t requests_ = 0;
  std::uint64_t hits_ = 0;
  std::uint64_t early_hits_ = 0;
  std::uint64_t bytes_received_ = 0;
  std::uint64_t prefetches_ = 0;
  std::int64_t early_bytes_ = 0;
  std::int64_t held_bytes_ = 0;
  std::function<void(std::int32_t)> wasted_;
  std::function<void(const SharedFrame&)> leaves_;
};

}  // namespace blockyard::block
