// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "blockyard/block/frame.h"
#include "blockyard/worker/flow_names.h"

namespace blockyard::worker::detail {

/// What a selector means now: found once for a statement, for whichever side runs it.
struct Located {
  std::int32_t number = 0;                      ///< of the selector
  const program::Selector* selector = nullptr;  ///< of that number
  Place place{};                                ///< of one of form `block`; else its shape only

  /// Of what is selected.
  [[nodiscard]] const tensor::Shape& shape() const noexcept { return place.shape; }
  [[nodiscard]] bool is_block() const noexcept {
    return selector->form == program::SelectorForm::block;
  }
  [[nodiscard]] bool is_whole_block() const noexcept { return is_block() && place.is_whole; }
  /// Whether the two mean the same block, or may share elements otherwise.
  [[nodiscard]] bool may_overlap(const Located& other) const noexcept {
    if (selector->array != other.selector->array) return false;
    return !is_block() || !other.is_block() || place.id == other.place.id;
  }
};

/// A block to be read on a device: dense, in memory of its own.
struct DeviceOperand {
  block::SharedFrame frame{};  ///< null: a sparse block never written
  bool is_kept = false;        ///< a copy of a distributed block: it does not change
};

}  // namespace blockyard::worker::detail
