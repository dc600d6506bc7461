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

bool Blocks::is_same_block(std::int32_t selector, std::int32_t other) const {
  const Selector& one = selector_at(selector);
  const Selector& two = selector_at(other);
  if (one.array != two.array) return false;
  if (one.form != SelectorForm::block || two.form != SelectorForm::block) return true;
  return locate(one).id == locate(two).id;
}

Blocks::DeviceOperand Blocks::device_operand(std::int32_t selector) {
  const Selector& selected = selector_at(selector);
  if (selected.form == SelectorForm::whole) {
    const View all = statics_.whole(selected.array);
    if (const block::SharedFrame copy = statics_.copy_of_whole(selected.array, all))
      return {copy, all.shape, false};
  }
  const bool is_real_part =
      selected.part == program::Part::real || selected.part == program::Part::imaginary;
  if (selected.form == SelectorForm::block && !is_real_part) {
    const Place place = locate(selected);
    const ArrayKind kind = decl(selected.array).kind;
    if (place.is_whole && kind == ArrayKind::static_) {
      if (const block::SharedFrame copy = statics_.copy_of_block(place.id, statics_.block(place)))
        return {copy, place.shape, false};
    } else if (place.is_whole) {
      if (const auto* own = own_.find(place.id)) return {own->frame, place.shape, false};
      const bool is_copy = kind == ArrayKind::distributed || kind == ArrayKind::served;
      const auto copy = is_copy ? fetch(place.id) : block::BlockCache::Pin();
      if (!copy) report_missing(place.id);
      return {copy.frame(), place.shape, true};
    }
  }
  const View from = read(selector);
  if (from.data == nullptr) return {nullptr, from.shape, false};
  copy_dense(from, scratch(from.bytes()));
  return {scratch_.back(), from.shape, false};
}

std::optional<tensor::Shape> Blocks::device_shape(std::int32_t selector) {
  const Selector& selected = selector_at(selector);
  if (selected.part != program::Part::all) return std::nullopt;
  if (selected.form == SelectorForm::whole) return statics_.whole(selected.array).shape;
  if (selected.form != SelectorForm::block) return std::nullopt;
  const Place place = locate(selected);
  return place.is_whole ? std::optional(place.shape) : std::nullopt;
}

std::optional<Place> Blocks::device_result_place(std::int32_t selector) const {
  const Selector& selected = selector_at(selector);
  if (selected.form != SelectorForm::block || decl(selected.array).kind == ArrayKind::static_)
    return std::nullopt;
  const Place place = locate(selected);
  return place.is_whole ? std::optional(place) : std::nullopt;
}

block::SharedFrame Blocks::device_result(std::int32_t selector, bool updates) {
  const std::optional<Place> place = device_result_place(selector);
  if (!place) return nullptr;
  OwnBlocks::Slot* slot = own_.find(place->id);
  if (slot == nullptr) {
    if (updates) (void)update(selector);  // the block of another home becomes the worker's own
    slot = updates ? own_.find(place->id) : &make_own(*place, Need::write);
  }
  return own_.device_result(*slot, *place, updates);
}

}  // namespace blockyard::worker::detail
