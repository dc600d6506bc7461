// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "blockyard/worker/detail/fetched_blocks.h"
#include "blockyard/worker/detail/located.h"
#include "blockyard/worker/detail/own_blocks.h"
#include "blockyard/worker/detail/regions.h"
#include "blockyard/worker/detail/statics.h"

namespace blockyard::worker::detail {

/// All blocks that a worker holds while a program runs, found by selector, and the scopes in which
/// temps and copies live. What each kind of array holds: Statics, Regions, OwnBlocks,
/// FetchedBlocks. One thread.
class Blocks {
 public:
  /// `index_values`: current values of all indexes, `unbound` where no loop is open. `here`: the
  /// instruction under way, for messages and records.
  Blocks(const Naming& naming, const std::vector<std::int64_t>& index_values,
         const wire::Access& here, block::FramePool& frames, block::BlockSource& source, bool check)
      : naming_(naming),
        index_values_(index_values),
        here_(here),
        frames_(frames),
        statics_(naming, frames),
        regions_(naming, index_values, frames),
        own_(naming, frames, check),
        fetched_(naming, here, frames, source) {}
  ~Blocks() { release_scratch(); }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  [[nodiscard]] std::int32_t pc() const noexcept { return here_.pc; }
  /// Throws Error{bad_input} if an index has no value or one outside the array.
  [[nodiscard]] Place locate(const program::Selector& selector) const {
    return flow::locate(naming_, selector, index_values_);
  }
  /// Where it is kept for the statement, so that it is not copied.
  void locate(std::int32_t selector, Located& into) const;
  [[nodiscard]] Located locate(std::int32_t selector) const;
  [[nodiscard]] std::int64_t value_of(std::int32_t index) const noexcept {
    return index_values_[static_cast<std::size_t>(index)];
  }

  /// The elements of a block, slice or region to be read. Waits for a block under way.
  /// Throws Error{bad_input} if it does not exist. A sparse block never written: data is null.
  [[nodiscard]] View read(const Located& from);
  [[nodiscard]] View read(std::int32_t selector) { return read(locate(selector)); }
  /// The elements to be overwritten, all of them: makes the block if it is not there.
  [[nodiscard]] View write(const Located& to) { return view(to, Need::write); }
  /// The elements to be changed. Throws Error{bad_input} if the block does not exist.
  [[nodiscard]] View update(const Located& to) { return view(to, Need::update); }
  /// A whole static array, to be read or changed.
  [[nodiscard]] View whole(std::int32_t array) {
    statics_.forget_copies(array);
    return statics_.whole(array);
  }
  /// The whole block as it is now, for a put: shared if it is dense, else a copy. `sending`: may
  /// get what is not done; null: waits for it.
  [[nodiscard]] block::SharedFrame share(std::int32_t selector, Sending* sending);

  // For a device, which gets frames and not views. In device_blocks.cpp.
  /// From now on blocks may be there.
  void attach(block::Residency& device);
  /// A block to be read there. If it is only a part of a frame: in scratch memory, but for static
  /// arrays and blocks of them, which stay while there is room.
  [[nodiscard]] DeviceOperand device_operand(const Located& from);
  /// The shape of a whole block, or of a whole static array; nothing for a slice or a region.
  [[nodiscard]] std::optional<tensor::Shape> device_shape(std::int32_t selector);
  /// Whether a device may write it: no slice, no region, no part of a block, no static array.
  [[nodiscard]] bool is_device_result(const Located& to) const {
    return to.is_whole_block() && decl(to.selector->array).kind != program::ArrayKind::static_;
  }
  /// The frame of a block that a device writes, or changes if `updates`; the host's values of it
  /// count for nothing where there is a copy there. REQUIRES: is_device_result.
  [[nodiscard]] block::SharedFrame device_result(const Located& to, bool updates);

  /// Starts the transfer of a distributed or served block to here. Returns which.
  array::BlockId get(std::int32_t selector);
  void open_scope() { scope_begins_.push_back(scope_.size()); }
  /// Temps made in the innermost scope go, and copies pinned there may go.
  void close_scope();
  void allocate(std::int32_t selector);
  void deallocate(std::int32_t selector);
  /// Forgets all copies of distributed blocks, at a barrier.
  void forget_copies();
  /// The same of one array; the worker's own versions stay.
  void forget_copies(std::int32_t array);
  /// Its own versions go as well.
  void forget_array(std::int32_t array);

  [[nodiscard]] Regions& regions() noexcept { return regions_; }
  [[nodiscard]] Statics& statics() noexcept { return statics_; }
  [[nodiscard]] const OwnBlocks& own() const noexcept { return own_; }
  [[nodiscard]] block::BlockCache& cache() noexcept { return fetched_.cache(); }
  [[nodiscard]] const FetchedBlocks& fetched() const noexcept { return fetched_; }

  /// Scratch memory that lives until the next call of release_scratch().
  [[nodiscard]] std::byte* scratch(std::size_t bytes);
  void release_scratch() noexcept;
  /// Names of local blocks that were allocated and never deallocated.
  [[nodiscard]] std::vector<std::string> leaks() const;

  /// At a barrier: what a checkpoint holds of the blocks, and the frames that it names.
  [[nodiscard]] std::vector<block::SharedFrame> save(ProgramState& state) const;
  void load(const ProgramState& state, RecordSource& source);

 private:
  enum class Record : std::uint8_t { none, temp, pin, own };
  struct Made {
    Record record;
    array::BlockId id;
    block::BlockCache::Pin pin{};
  };
  [[nodiscard]] const program::ArrayDecl& decl(std::int32_t array) const {
    return naming_.program.arrays[static_cast<std::size_t>(array)];
  }
  [[nodiscard]] const program::Selector& selector_at(std::int32_t selector) const {
    return naming_.program.selectors[static_cast<std::size_t>(selector)];
  }
  [[noreturn]] void report_missing(const array::BlockId& id) const;
  [[nodiscard]] View view(const Located& at, Need need);
  [[nodiscard]] View own_view(const Place& place, Need need);
  [[nodiscard]] View copy_view(const Place& place, Need need);
  OwnBlocks::Slot& make_own(const Place& place, Need need);
  [[nodiscard]] block::BlockCache::Pin fetch(const array::BlockId& id);
  void keep(const array::BlockId& id, const block::BlockCache::Pin& pin);
  [[nodiscard]] bool renew(const array::BlockId& id, const block::BlockCache::Pin& pin);

  const Naming& naming_;
  const std::vector<std::int64_t>& index_values_;
  const wire::Access& here_;
  block::FramePool& frames_;
  block::Residency* device_ = nullptr;
  Statics statics_;
  Regions regions_;
  OwnBlocks own_;
  FetchedBlocks fetched_;
  std::vector<Made> scope_;
  std::vector<std::size_t> scope_begins_;
  std::vector<block::Frame> scratch_;
};

}  // namespace blockyard::worker::detail
