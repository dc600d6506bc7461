// SPDX-License-Identifier: Apache-2.0
// The part of Blocks that a device uses: frames in place of views.
#include "blockyard/worker/detail/blocks.h"

namespace blockyard::worker::detail {

using program::ArrayKind;
using program::Selector;
using program::SelectorForm;

void Blocks::attach(block::Residency& device) {
  device_ = &device;
  statics_.attach(device);
  own_.attach(device);
}

DeviceOperand Blocks::device_operand(const Located& from) {
  const std::int32_t array = from.selector->array;
  if (from.selector->form == SelectorForm::whole)
    if (const block::SharedFrame copy = statics_.copy_of_whole(array, statics_.whole(array)))
      return {copy, false};
  const program::Part part = from.selector->part;
  if (from.is_whole_block() && part != program::Part::real && part != program::Part::imaginary) {
    const Place& place = from.place;
    const ArrayKind kind = decl(array).kind;
    if (kind == ArrayKind::static_) {
      if (const block::SharedFrame copy = statics_.copy_of_block(place.id, statics_.block(place)))
        return {copy, false};
    } else {
      if (const auto* own = own_.find(place.id)) return {own->frame, false};
      const bool is_copy = kind == ArrayKind::distributed || kind == ArrayKind::served;
      const auto copy = is_copy ? fetch(place.id) : block::BlockCache::Pin();
      if (!copy) report_missing(place.id);
      return {copy.frame(), true};
    }
  }
  const View values = read(from);
  if (values.data == nullptr) return {};
  copy_dense(values, scratch(values.bytes()));
  return {scratch_.back(), false};
}

std::optional<tensor::Shape> Blocks::device_shape(std::int32_t selector) {
  const Selector& selected = selector_at(selector);
  if (selected.part != program::Part::all || selected.form == SelectorForm::region)
    return std::nullopt;
  const Located at = locate(selector);
  return at.is_block() && !at.place.is_whole ? std::nullopt : std::optional(at.shape());
}

block::SharedFrame Blocks::device_result(const Located& to, bool updates) {
  OwnBlocks::Slot* slot = own_.find(to.place.id);
  if (slot == nullptr) {
    if (updates) (void)update(to);  // the block of another home becomes the worker's own
    slot = updates ? own_.find(to.place.id) : &make_own(to.place, Need::write);
  }
  return own_.device_result(*slot, to.place, updates);
}

}  // namespace blockyard::worker::detail
