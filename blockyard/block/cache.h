// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <unordered_map>

#include "blockyard/array/block_id.h"
#include "blockyard/block/frame.h"

namespace blockyard::block {

/// Names one fetch.
using Ticket = std::uint64_t;

/// Where the cache gets a block that it does not hold. The worker implements it over the fabric.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  /// Starts to fetch the block. Returns at once.
  [[nodiscard]] virtual Ticket fetch(const array::BlockId& id) = 0;
  /// The block once it is there, null until then. If it was never written: `missing` is set.
  /// Hands the block over: a ticket is answered once. Throws Error{comm} or Error{io} on failure.
  [[nodiscard]] virtual SharedFrame arrived(Ticket ticket, bool& missing) = 0;
  /// Whether `arrived` would answer without communication.
  [[nodiscard]] virtual bool has_arrived(Ticket ticket) const noexcept = 0;
  /// Returns when a message arrived.
  virtual void wait() = 0;
};

/// Copies of blocks from other homes, for one worker. A block asked for in a scope is pinned until
/// the scope ends; after that it stays until room is needed, least recently used first, or until
/// clear(). Blocks are immutable. One thread.
class BlockCache {
 public:
  struct Entry {
    array::BlockId id;
    SharedFrame frame;     ///< null while under way, and for a block never written
    std::size_t size = 0;  ///< bytes charged
    Ticket ticket = 0;
    bool is_waiting = false;
    bool is_missing = false;  ///< never written at its home
    std::int32_t pins = 0;
    std::int32_t pc = 0;      ///< the instruction that asked for it
    bool is_early = false;    ///< prefetched, and not asked for since
    double sent_seconds = 0;  ///< when it was asked for at its home
  };

  BlockCache(FramePool& frames, BlockSource& source) : frames_(frames), source_(source) {}
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;
  ~BlockCache() { drop_all(); }

  /// Makes sure that block `id` of `size` bytes is here or in flight; a new one is charged to the
  /// budget. Returns its entry, valid while it is pinned.
  Entry& request(const array::BlockId& id, std::size_t size, std::int32_t pc);
  /// Asks for a block that will be requested soon, if it is neither here nor under way, and if
  /// there is room: free, or held by blocks that are not in use. Prefetched blocks that are not
  /// used yet take at most 1/early_share of the budget. Returns whether it is here or under way
  /// now.
  bool prefetch(const array::BlockId& id, std::size_t size, std::int32_t pc);
  static constexpr std::int64_t early_share = 4;
  /// Forgets a block that was prefetched and not asked for since: it is about to change.
  void drop_early(const array::BlockId& id);
  /// Called for each block that was evicted or forgotten before its first use, with the
  /// instruction that prefetched it.
  void on_waste(std::function<void(std::int32_t)> wasted) { wasted_ = std::move(wasted); }
  /// Called for each frame that is evicted or forgotten.
  void on_leave(std::function<void(const SharedFrame&)> leaves) { leaves_ = std::move(leaves); }
  /// The entry of a block that is here or under way, or null. Counts as a use.
  [[nodiscard]] Entry* find(const array::BlockId& id) noexcept;
  /// The block, if it is here. Never blocks; does not update recency.
  [[nodiscard]] SharedFrame peek(const array::BlockId& id);
  /// Waits until the block of the entry is here. Returns whether it had to wait.
  bool complete(Entry& entry);

  void pin(Entry& entry) noexcept { ++entry.pins; }
  void unpin(const array::BlockId& id) noexcept;
  /// Evicts a block that is not pinned: the least recently used; if there is none, the last one
  /// prefetched; as a last resort it waits for one in flight. False if all are pinned.
  [[nodiscard]] bool evict_one();
  /// Forgets everything, at a barrier: the next epoch may change any block. Waits for blocks
  /// in flight.
  void clear();
  /// Forgets the blocks of one array. Waits for those in flight.
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
  Entry& ask(const array::BlockId& id, std::size_t size, std::int32_t pc, bool is_early);
  void take(Entry& entry, SharedFrame frame, bool missing);
  [[nodiscard]] bool evict_used() noexcept;
  void erase(Order::iterator at);
  void end_early(Entry& entry) noexcept;
  void drop_all() noexcept;

  FramePool& frames_;
  BlockSource& source_;
  Order order_;
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
