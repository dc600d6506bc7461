// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "blockyard/block/cache.h"
#include "blockyard/block/residency.h"
#include "blockyard/wire/messages.h"
#include "blockyard/worker/detail/regions.h"
#include "blockyard/worker/detail/state.h"
#include "blockyard/worker/detail/statics.h"
#include "blockyard/worker/detail/view.h"
#include "blockyard/worker/environment.h"
#include "blockyard/worker/flow_names.h"
#include "blockyard/worker/metrics.h"

namespace blockyard::worker::detail {

/// All blocks that a worker holds while a program runs, and the rules of their life: static arrays,
/// temps with their scopes, locals, regions of contiguous arrays, copies of distributed blocks.
/// One thread.
class Blocks {
 public:
  /// `index_values`: current values of all indexes, `unbound` where no loop is open. `here`: the
  /// instruction under way, for messages and records.
  Blocks(const Naming& naming, const std::vector<std::int64_t>& index_values,
         const wire::Access& here, block::FramePool& frames, block::BlockCache& cache, bool check);
  ~Blocks();
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  [[nodiscard]] std::int32_t pc() const noexcept { return here_.pc; }

  /// Throws Error{bad_input} if an index has no value or one outside the array.
  [[nodiscard]] Place locate(const program::Selector& selector) const {
    return flow::locate(naming_, selector, index_values_);
  }
  [[nodiscard]] std::int64_t value_of(std::int32_t index) const noexcept {
    return index_values_[static_cast<std::size_t>(index)];
  }

  /// The elements of a block, slice or region to be read. Waits for a block under way.
  /// Throws Error{bad_input} if it does not exist. A sparse block never written: data is null.
  [[nodiscard]] View read(std::int32_t selector);
  /// The elements to be overwritten, all of them: makes the block if it is not there.
  [[nodiscard]] View write(std::int32_t selector);
  /// The elements to be changed. Throws Error{bad_input} if the block does not exist.
  [[nodiscard]] View update(std::int32_t selector);
  /// Blocks that this worker has made: temps, locals and its own versions of distributed blocks,
  /// array by array in the order of their numbers.
  [[nodiscard]] std::vector<array::BlockId> made() const;
  /// A put to another process.
  struct Sending {
    bool reads_devices = false;                   ///< the fabric does
    std::shared_ptr<block::PieceCopy> under_way;  ///< null: the values are in the frame
  };
  /// The whole block as it is now, for a put: shared if it is dense, else a copy. `sending`: may
  /// get what is not done; null: waits for it.
  [[nodiscard]] block::SharedFrame share(std::int32_t selector, Sending* sending);

  // For a device, which gets frames and not views. In device_blocks.cpp.
  /// From now on blocks may be there.
  void attach(block::Residency& device);
  struct DeviceOperand {
    block::SharedFrame frame;  ///< null: a sparse block never written
    tensor::Shape shape;
    bool is_kept = false;  ///< a copy of a distributed block: it does not change
  };
  /// A block to be read there; dense, in memory of its own, if it is only a part of a frame: in
  /// scratch memory, but for static arrays and blocks of them, which stay while there is room.
  [[nodiscard]] DeviceOperand device_operand(std::int32_t selector);
  /// The shape of a whole block, or of a whole static array; nothing for a slice or a region.
  [[nodiscard]] std::optional<tensor::Shape> device_shape(std::int32_t selector);
  /// The block that device_result() has the frame of: none for a slice, a region, a part of a
  /// block, nor in a static array.
  [[nodiscard]] std::optional<Place> device_result_place(std::int32_t selector) const;
  /// The frame of a whole block that a device writes, or changes if `updates`; the host's values
  /// of it count for nothing where there is a copy there. Null: the host must do it.
  [[nodiscard]] block::SharedFrame device_result(std::int32_t selector, bool updates);
  /// How often a result of the device in this array was read by the host afterwards: 0 to 1.
  [[nodiscard]] double device_results_read(std::int32_t array) const;
  /// Whether two selectors mean the same block now.
  [[nodiscard]] bool is_same_block(std::int32_t selector, std::int32_t other) const;

  /// Starts the transfer of a distributed or served block to here. Returns which.
  array::BlockId get(std::int32_t selector);
  void open_scope() { scope_begins_.push_back(scope_.size()); }
  /// Temps made in the innermost scope go, and copies pinned there may go.
  void close_scope();

  void allocate(std::int32_t selector);
  void deallocate(std::int32_t selector);
  [[nodiscard]] Regions& regions() noexcept { return regions_; }
  [[nodiscard]] const Regions& regions() const noexcept { return regions_; }
  [[nodiscard]] Statics& statics() noexcept { return statics_; }
  /// Forgets all copies of distributed blocks, at a barrier.
  void forget_copies();
  /// The same of one array; the worker's own versions stay.
  void forget_copies(std::int32_t array);
  /// Its own versions go as well.
  void forget_array(std::int32_t array);

  /// At a barrier: what a checkpoint holds of the blocks, and the frames that it names.
  [[nodiscard]] std::vector<block::SharedFrame> save(ProgramState& state) const;
  void load(const ProgramState& state, RecordSource& source);

  /// A whole static array, to be read or changed.
  [[nodiscard]] View whole(std::int32_t array) {
    statics_.forget_copies(array);
    return statics_.whole(array);
  }
  /// Scratch memory that lives until the next call of release_scratch().
  [[nodiscard]] std::byte* scratch(std::size_t bytes);
  void release_scratch() noexcept;

  /// Uses of fetched blocks, by the pc of the get that asked for them.
  struct Wait {
    std::uint64_t gets = 0;        ///< how often the get was run
    std::uint64_t hits = 0;        ///< of these: the block was here or under way
    std::uint64_t early_hits = 0;  ///< of these: since look-ahead had asked for it
    std::uint64_t accesses = 0;
    std::uint64_t blocked = 0;
    double seconds = 0;
    double first_seconds = 0;     ///< waited for the first access
    double transfer_seconds = 0;  ///< sum over the blocked: from the request to the arrival
  };
  [[nodiscard]] const Wait& wait_at(std::int32_t get) const {
    return waits_[static_cast<std::size_t>(get)];
  }
  /// Total time waited for blocks; of it, while a server was at its disk.
  [[nodiscard]] double wait_seconds() const noexcept { return wait_seconds_; }
  [[nodiscard]] double disk_seconds() const noexcept { return disk_seconds_; }
  /// Names of local blocks that were allocated and never deallocated.
  [[nodiscard]] std::vector<std::string> leaks() const;

 private:
  struct Slot {
    std::uint64_t number = 0;
    block::Frame frame;
    bool is_allocated = false;  ///< by an allocate statement
  };
  struct Array {
    explicit Array(std::pmr::memory_resource& nodes) : locals(&nodes) {}
    std::vector<Slot> temps;  ///< temp: few at a time
    std::pmr::unordered_map<std::uint64_t, Slot>
        locals;  ///< local, and own copies of distributed blocks
  };
  enum class Record : std::uint8_t { none, temp, pin, own };
  struct Made {
    Record record;
    array::BlockId id;
    block::BlockCache::Pin pin{};
  };
  enum class Need : std::uint8_t { read, write, prepare, update };

  [[nodiscard]] const program::ArrayDecl& decl(std::int32_t array) const {
    return naming_.program.arrays[static_cast<std::size_t>(array)];
  }
  [[nodiscard]] const program::Selector& selector_at(std::int32_t selector) const {
    return naming_.program.selectors[static_cast<std::size_t>(selector)];
  }
  [[noreturn]] void report_missing(const array::BlockId& id) const;
  [[nodiscard]] View view(std::int32_t selector, Need need);
  [[nodiscard]] View block_view(const program::Selector& selected, Need need);
  [[nodiscard]] Slot* find_own(const array::BlockId& id);
  [[nodiscard]] View own_view(const Place& place, Need need);
  [[nodiscard]] View copy_view(const Place& place, Need need);
  Slot& make_own(const Place& place, Need need);
  void make_writable(Slot& slot, bool keeps_values);
  void make_device_writable(Slot& slot, bool keeps_values);
  void look(Slot& slot, Need need, const Place& place);
  void send(const Slot& slot, const Place& place, Sending& sending);
  void recycle(block::Frame frame) noexcept;
  [[nodiscard]] ElementType type_of(std::int32_t array) const { return decl(array).type; }
  [[nodiscard]] std::size_t bytes_of(const Place& place) const {
    return static_cast<std::size_t>(place.block_shape.element_count()) *
           array::bytes_of(type_of(place.id.array));
  }
  [[nodiscard]] View part_of(std::byte* data, const Place& place) const;
  [[nodiscard]] block::BlockCache::Pin fetched(const array::BlockId& id);
  void keep(const array::BlockId& id, const block::BlockCache::Pin& pin);
  void complete(const block::BlockCache::Pin& pin, Wait& wait);
  void erase(const Made& made) noexcept;

  const Naming& naming_;
  const std::vector<std::int64_t>& index_values_;
  const wire::Access& here_;
  block::FramePool& frames_;
  block::BlockCache& cache_;
  bool check_;
  block::Residency* device_ = nullptr;
  Statics statics_;
  Regions regions_;
  std::pmr::unsynchronized_pool_resource nodes_;  ///< of the maps of locals, which come and go
  std::vector<Array> arrays_;
  std::vector<Made> scope_;
  std::vector<std::size_t> scope_begins_;
  std::vector<block::Frame> scratch_;
  std::vector<Wait> waits_;  ///< by pc
  double wait_seconds_ = 0;
  double disk_seconds_ = 0;
  struct DeviceResults {
    std::uint64_t written = 0;
    std::uint64_t read = 0;  ///< by the host, and so copied
  };
  std::vector<DeviceResults> device_results_;  ///< by array; empty without a device
};

/// Every element NaN with a payload of ours: what the checking mode fills new blocks with.
void fill_uninitialised(std::span<std::byte> values, ElementType type) noexcept;
/// Whether an element is still as fill_uninitialised left it.
[[nodiscard]] bool is_uninitialised(View view) noexcept;

}  // namespace blockyard::worker::detail
