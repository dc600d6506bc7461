// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "blockyard/array/block_id.h"
#include "blockyard/base/buffer.h"
#include "blockyard/fabric/fabric.h"

namespace blockyard::server {

class BlockMemory;

/// One version of the values of a block.
/// Shared by the arrays and labels that hold this version, and by the I/O that works on it: who is
/// not its only holder does not change it.
class Slot {
 public:
  Slot(BlockMemory& memory, fabric::Payload payload);
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;
  ~Slot();

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] bool is_resident() const noexcept { return payload_ != nullptr; }
  [[nodiscard]] const fabric::Payload& payload() const noexcept { return payload_; }

  /// Blocks whose requests wait until this is resident.
  std::vector<array::BlockId> wanted_by;

 private:
  friend class BlockMemory;
  BlockMemory& memory_;
  std::size_t bytes_;
  fabric::Payload payload_;  // null: on disk only
  std::list<Slot*>::iterator age_;
};
using SlotRef = std::shared_ptr<Slot>;

/// What can be said at once about values that are needed.
enum class Presence { here, coming, no_room };

/// Holds the values of blocks within a budget. One thread.
class BlockMemory {
 public:
  BlockMemory(std::size_t budget_bytes, std::string owner);

  /// True once a block of `bytes` more fits. `kept` (may be null) stays.
  /// Throws Error{no_memory} if it can never fit.
  [[nodiscard]] bool make_room(std::size_t bytes, const Slot* kept);
  /// A new version; make_room said yes before.
  [[nodiscard]] SlotRef adopt(fabric::Payload payload);
  /// New values of the same length for a resident slot; also after its values were changed.
  void replace(Slot& slot, fabric::Payload payload);
  /// Used now: the last to be evicted.
  void touch(Slot& slot);

  [[nodiscard]] std::size_t peak_bytes() const noexcept { return peak_bytes_; }

 private:
  friend class Slot;
  void charge(Slot& slot);
  void discharge(Slot& slot) noexcept;

  std::size_t budget_bytes_;
  std::string owner_;
  std::size_t held_bytes_ = 0;
  std::size_t peak_bytes_ = 0;
  std::list<Slot*> by_age_;  // resident slots, least recently used first
};

}  // namespace blockyard::server
