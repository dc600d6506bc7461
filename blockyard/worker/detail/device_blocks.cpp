// SPDX-License-Identifier: Apache-2.0
// The part of Blocks that a device uses: frames in place of views.
#include <algorithm>
#include <cstring>

#include "blockyard/worker/detail/blocks.h"

namespace blockyard::worker::detail {

using program::ArrayKind;
using program::Selector;
using program::SelectorForm;

void Blocks::attach(block::Residency& device) {
  device_ = &device;
  statics_.attach(device);
  device_results_.resize(arrays_.size());
}

void Blocks::look(Slot& slot, Need need, const Place& place) {
  if ((need != Need::write || !place.is_whole) && device_->host_reads(*slot.frame))
    ++device_results_[static_cast<std::size_t>(place.id.array)].read;
  if (need != Need::read) device_->host_writes(*slot.frame);
}

void Blocks::send(const Slot& slot, const Place& place, Sending& sending) {
  const bool is_there = device_->is_modified(*slot.frame);
  sending.under_way = device_->send(slot.frame, sending.reads_devices);
  const bool is_direct = sending.under_way && sending.under_way->place() != nullptr;
  if (is_there && !is_direct) ++device_results_[static_cast<std::size_t>(place.id.array)].read;
}

double Blocks::device_results_read(std::int32_t array) const {
  const DeviceResults& results = device_results_[static_cast<std::size_t>(array)];
  if (results.written == 0) return 1.0;
  return std::min(1.0, static_cast<double>(results.read) / static_cast<double>(results.written));
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
      if (const Slot* own = find_own(place.id)) return {own->frame, place.shape, false};
      const bool is_copy = kind == ArrayKind::distributed || kind == ArrayKind::served;
      const auto copy = is_copy ? fetched(place.id) : block::BlockCache::Pin();
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
  Slot* slot = find_own(place->id);
  if (slot == nullptr) {
    if (updates) (void)update(selector);  // the block of another home becomes the worker's own
    slot = updates ? find_own(place->id) : &make_own(*place, Need::write);
  } else {
    make_device_writable(*slot, updates);
  }
  ++device_results_[static_cast<std::size_t>(place->id.array)].written;
  return slot->frame;
}

/// A frame that others hold too will never be written to: the copy on the device goes over to a
/// new one.
void Blocks::make_device_writable(Slot& slot, bool keeps_values) {
  if (base::is_sole_holder(slot.frame)) return;
  block::Frame fresh = frames_.allocate(slot.frame->size());
  if (keeps_values && !device_->move(*slot.frame, *fresh)) {
    device_->host_reads(*slot.frame);
    std::memcpy(fresh->data(), slot.frame->data(), fresh->size());
  }
  recycle(std::move(slot.frame));
  slot.frame = std::move(fresh);
}

}  // namespace blockyard::worker::detail
