// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "blockyard/array/block_id.h"
#include "blockyard/base/buffer.h"
#include "blockyard/base/recording.h"
#include "blockyard/fabric/fabric.h"
#include "blockyard/server/lent.h"
#include "blockyard/server/spiller.h"
#include "blockyard/store/file.h"
#include "blockyard/store/spill_file.h"

namespace blockyard::server {

class BlockMemory;

/// One version of the values of a block, in memory or stored (spilled to disk, or lent) or both.
/// Made by BlockMemory only. Shared by the arrays and labels that hold this version, and by the
/// transfer that works on it: only a sole holder may change it.
class Slot : public std::enable_shared_from_this<Slot> {
 public:
  Slot(BlockMemory& memory, std::int32_t array, fabric::Payload payload);
  /// A block of a lent array: stored there, and resident only where it is lent in place.
  Slot(BlockMemory& memory, const Lent& lent, std::uint64_t number);
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;
  ~Slot();

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] bool is_resident() const noexcept { return payload_ != nullptr; }
  [[nodiscard]] bool is_being_read() const noexcept { return !is_resident() && is_in_transfer_; }
  [[nodiscard]] const fabric::Payload& payload() const noexcept { return payload_; }
  /// Whether new values may replace these in place: they have no other holder.
  [[nodiscard]] bool is_replaceable() const noexcept { return is_resident() && !is_in_place_; }

  /// Blocks whose requests wait until this is resident.
  std::vector<array::BlockId> wanted_by;

 private:
  friend class BlockMemory;
  /// Whether the values can be read again after they were dropped.
  [[nodiscard]] bool is_stored() const noexcept { return record_ || lent_ != nullptr; }
  BlockMemory& memory_;
  std::int32_t array_;  // whose file it goes to
  std::size_t bytes_;
  // Shared by the slots of an array that have been on disk; goes with the last of them.
  std::shared_ptr<store::SpillFile> file_;
  fabric::Payload payload_;          // null: on disk only
  store::SpillFile::Record record_;  // holds these values, if there is one
  const Lent* lent_ = nullptr;       // holds these values, as block number_
  bool is_in_place_ = false;  // resident in the lender's memory: never charged, never evicted
  std::uint64_t number_ = 0;
  bool is_in_transfer_ = false;
  std::list<Slot*>::iterator age_;  // while resident, but for those in place
};
using SlotRef = std::shared_ptr<Slot>;

/// The place a server spills to.
struct SpillPlace {
  store::Store& store;
  std::filesystem::path path;  ///< begin of the names; a file is made when an array first spills
};

/// Holds the values of blocks within a budget. Past it, the least recently used go to disk; those
/// that are on disk unchanged are dropped without writing them again. Waits for no transfer.
/// One thread.
class BlockMemory {
 public:
  /// `owner`: the asker's name, for error texts. `recording` takes the transfers; it may be null.
  BlockMemory(base::BufferPool& pool, std::size_t budget_bytes, SpillPlace place, std::string owner,
              base::Recording* recording = nullptr);

  /// True once `bytes` more fit. If not, it began to write what has to go: ask again when a
  /// transfer ended. `kept` (may be null) stays. Throws Error{no_memory} if they can never fit.
  [[nodiscard]] bool make_room(std::size_t bytes, const Slot* kept);
  /// A new version of a block of an array; make_room said yes just before.
  [[nodiscard]] SlotRef adopt(std::int32_t array, fabric::Payload payload);
  /// A block of a lent array, which outlives it.
  [[nodiscard]] SlotRef lend(const Lent& lent, std::uint64_t number);
  /// New values of the same length for a resident slot; also to say that its values changed.
  void replace(Slot& slot, fabric::Payload payload);
  /// Used now: the last to be evicted.
  void touch(Slot& slot);
  /// Begins to read a slot that is on disk only; make_room said yes just before.
  void read_back(Slot& slot);

  /// The values of a slot that is in no transfer; `scratch` holds them if they are on disk only.
  [[nodiscard]] std::span<const std::byte> values_of(const Slot& slot,
                                                     std::vector<std::byte>& scratch);
  /// Makes room for `bytes` and waits until it is there. Nothing may wait for blocks to arrive.
  void wait_for_room(std::size_t bytes);
  /// Waits until no transfer is under way. Nothing may wait for blocks to arrive.
  void wait_for_transfers();
  /// Where files of this server go.
  [[nodiscard]] store::Store& store() noexcept { return place_.store; }

  /// Takes note of transfers that ended; adds blocks that wanted what was read to `arrived`.
  /// True if there were any. Throws Error{io} if one failed.
  bool settle(std::vector<array::BlockId>& arrived);
  /// Returns when a transfer ended, or after `seconds`.
  void wait(double seconds);
  [[nodiscard]] bool is_in_transfer() const noexcept;

  [[nodiscard]] std::size_t held_bytes() const noexcept { return held_bytes_; }
  [[nodiscard]] std::size_t peak_bytes() const noexcept { return peak_bytes_; }
  [[nodiscard]] std::uint64_t spilled_bytes() const noexcept { return spilled_bytes_; }
  [[nodiscard]] std::uint64_t read_back_bytes() const noexcept { return read_back_bytes_; }

 private:
  friend class Slot;
  void begin_write(Slot& slot);
  [[nodiscard]] std::shared_ptr<store::SpillFile> file_of(std::int32_t array);
  void settle_one();
  void note(const Transfer& transfer) noexcept;
  void evict(Slot& slot) noexcept;
  void charge(std::size_t bytes) noexcept;
  void discharge(std::size_t bytes) noexcept;
  [[noreturn]] void fail_too_small(std::size_t needed) const;

  base::BufferPool& pool_;
  std::size_t budget_bytes_;
  SpillPlace place_;
  std::string owner_;
  base::Recording* recording_;
  std::size_t held_bytes_ = 0;  // resident slots and reads in flight, as the pool charges them
  std::size_t peak_bytes_ = 0;
  std::uint64_t spilled_bytes_ = 0;
  std::uint64_t read_back_bytes_ = 0;
  std::list<Slot*> by_age_;  // resident slots, least recently used first
  std::map<std::int32_t, std::weak_ptr<store::SpillFile>> files_;  // by array
  int made_files_ = 0;
  store::RecordPages pages_;        // of values_of
  std::optional<Spiller> spiller_;  // last: its transfers end slots and records
};

}  // namespace blockyard::server
