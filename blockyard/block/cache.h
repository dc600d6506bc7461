// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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
  /// Starts to bring the block. Returns at once.
  [[nodiscard]] virtual Ticket fetch(const array::BlockId& id) = 0;
  /// The block once it is there, null until then. If it was never written: `missing` is set.
  /// Gives the block away: a ticket is answered once. Throws Error{comm} or Error{io} on failure.
  [[nodiscard]] virtual SharedFrame arrived(Ticket ticket, bool& missing) = 0;
  /// Returns when something came.
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
    std::int32_t pc = 0;  ///< the instruction that asked for it
  };

  BlockCache(FramePool& frames, BlockSource& source) : frames_(frames), source_(source) {}
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;
  ~BlockCache() { drop_all(); }

  /// Makes sure that block `id` of `size` bytes is here or under way; a new one is charged to the
  /// budget. Returns its entry, valid while it is pinned.
  Entry& request(const array::BlockId& id, std::size_t size, std::int32_t pc);
  /// The entry of a block that is here or under way, or null. Counts as a use.
  [[nodiscard]] Entry* find(const array::BlockId& id) noexcept;
  /// Waits until the block of the entry is here. Returns whether it had to wait.
  bool complete(Entry& entry);

  void pin(Entry& entry) noexcept { ++entry.pins; }
  void unpin(const array::BlockId& id) noexcept;
  /// Lets the least recently used block go that is neither pinned nor under way.
  [[nodiscard]] bool evict_one() noexcept;
  /// Forgets everything, at a barrier: the next epoch may change any block. Waits for what is
  /// under way.
  void clear();
  /// Forgets the blocks of one array. Waits for those under way.
  void forget(std::int32_t array);

  [[nodiscard]] std::uint64_t requests() const noexcept { return requests_; }
  [[nodiscard]] std::uint64_t hits() const noexcept { return hits_; }
  [[nodiscard]] std::uint64_t bytes_received() const noexcept { return bytes_received_; }

 private:
  using Order = std::list<Entry>;  ///< least recently used first
  void take(Entry& entry, SharedFrame frame, bool missing);
  void drop_all() noexcept;

  FramePool& frames_;
  BlockSource& source_;
  Order order_;
  std::unordered_map<array::BlockId, Order::iterator, array::BlockIdHash> by_id_;
  std::uint64_t requests_ = 0;
  std::uint64_t hits_ = 0;
  std::uint64_t bytes_received_ = 0;
};

}  // namespace blockyard::block
