// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <memory_resource>
#include <unordered_map>
#include <vector>

#include "blockyard/block/residency.h"
#include "blockyard/worker/detail/state.h"
#include "blockyard/worker/flow_names.h"

namespace blockyard::worker::detail {

/// What a statement does with the elements of a block: reads them, overwrites all, overwrites a
/// part or changes them where the block may be new, or changes those of a block that exists.
enum class Need : std::uint8_t { read, write, prepare, update };

/// A put to another process.
struct Sending {
  bool reads_devices = false;                   ///< the fabric does
  std::shared_ptr<block::PieceCopy> under_way;  ///< null: the values are in the frame
};

/// The blocks that a worker has made, array by array: temps, locals, and its own versions of
/// distributed blocks. A frame with other holders is never written to. One thread.
class OwnBlocks {
 public:
  struct Slot {
    std::uint64_t number = 0;
    block::Frame frame;
    bool is_allocated = false;  ///< by an allocate statement
  };

  OwnBlocks(const Naming& naming, block::FramePool& frames, bool check);
  ~OwnBlocks();
  OwnBlocks(const OwnBlocks&) = delete;
  OwnBlocks& operator=(const OwnBlocks&) = delete;
  /// From now on blocks may be there.
  void attach(block::Residency& device) noexcept { device_ = &device; }

  /// Null: there is none.
  [[nodiscard]] Slot* find(const array::BlockId& id);
  /// A new block: zero, but where all of it is overwritten.
  Slot& make(const Place& place, Need need);
  /// False: there was none.
  bool erase(const array::BlockId& id) noexcept;
  /// The elements that a place selects, on the host.
  [[nodiscard]] View view(Slot& slot, const Place& place, Need need);
  /// The whole block as it is now, to be read. `sending`: a device may still have it; null: waits.
  [[nodiscard]] block::SharedFrame share(Slot& slot, const Place& place, Sending* sending);
  /// For an allocate statement: zero.
  void allocate(Slot& slot, const Place& place);
  /// The frame of a whole block that a device writes, or changes if `updates`.
  [[nodiscard]] block::SharedFrame device_result(Slot& slot, const Place& place, bool updates);
  /// How often a result of the device in this array was read by the host afterwards: 0 to 1.
  [[nodiscard]] double device_results_read(std::int32_t array) const;

  /// Those of one array, in the order of their numbers.
  [[nodiscard]] std::vector<array::BlockId> made(std::int32_t array) const;
  using AddFrame = std::function<void(const SavedFrame&, const block::Frame&)>;
  void save(std::int32_t array, const AddFrame& add) const;
  void restore(const SavedFrame& saved, block::Frame frame);

  [[nodiscard]] std::size_t bytes_of(const Place& place) const {
    return static_cast<std::size_t>(place.block_shape.element_count()) *
           array::bytes_of(type_of(place));
  }
  [[nodiscard]] View part_of(std::byte* data, const Place& place) const;
  void recycle(block::Frame frame) noexcept;

 private:
  struct Array {
    explicit Array(std::pmr::memory_resource& nodes) : locals(&nodes) {}
    std::vector<Slot> temps;  ///< few at a time
    /// Local, and own versions of distributed blocks.
    std::pmr::unordered_map<std::uint64_t, Slot> locals;
    std::uint64_t device_results = 0;
    std::uint64_t device_results_read = 0;  ///< of these, by the host, and so copied
  };
  [[nodiscard]] Array& array_of(std::int32_t array) {
    return arrays_[static_cast<std::size_t>(array)];
  }
  [[nodiscard]] bool is_temp(std::int32_t array) const {
    return naming_.program.arrays[static_cast<std::size_t>(array)].kind == program::ArrayKind::temp;
  }
  [[nodiscard]] ElementType type_of(const Place& place) const {
    return naming_.program.arrays[static_cast<std::size_t>(place.id.array)].type;
  }
  void bring_to_host(Slot& slot, const Place& place, Need need);
  void make_writable(Slot& slot, bool keeps_values);
  void replace(Slot& slot, block::Frame fresh) noexcept;

  const Naming& naming_;
  block::FramePool& frames_;
  bool check_;
  block::Residency* device_ = nullptr;
  std::pmr::unsynchronized_pool_resource nodes_;  ///< of the maps of locals, which come and go
  std::vector<Array> arrays_;
};

}  // namespace blockyard::worker::detail
