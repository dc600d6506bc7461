// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/own_blocks.h"

#include <algorithm>
#include <cstring>

#include "blockyard/block/uninitialised.h"

namespace blockyard::worker::detail {

namespace {

/// A zero of any type has no bit set.
void clear(const block::Frame& frame) { std::memset(frame->data(), 0, frame->size()); }

}  // namespace

OwnBlocks::OwnBlocks(const Naming& naming, block::FramePool& frames, bool check)
    : naming_(naming), frames_(frames), check_(check) {
  arrays_.reserve(naming.program.arrays.size());
  for (std::size_t k = 0; k < naming.program.arrays.size(); ++k) arrays_.emplace_back(nodes_);
}

OwnBlocks::~OwnBlocks() {
  for (Array& array : arrays_) {
    for (Slot& slot : array.temps) recycle(std::move(slot.frame));
    for (auto& [number, slot] : array.locals) recycle(std::move(slot.frame));
  }
}

void OwnBlocks::recycle(block::Frame frame) noexcept {
  if (device_ != nullptr) device_->forget(*frame);
  frames_.recycle(std::move(frame));
}

View OwnBlocks::part_of(std::byte* data, const Place& place) const {
  View result = View::dense(data, place.block_shape, type_of(place));
  if (place.is_whole) return result;
  for (std::size_t k = 0; k < place.shape.order(); ++k)
    result.advance(place.at[k] * result.strides[k]);
  result.shape = place.shape;
  return result;
}

OwnBlocks::Slot* OwnBlocks::find(const array::BlockId& id) {
  Array& array = array_of(id.array);
  if (is_temp(id.array)) {
    for (Slot& slot : array.temps)
      if (slot.number == id.number) return &slot;
    return nullptr;
  }
  const auto found = array.locals.find(id.number);
  return found == array.locals.end() ? nullptr : &found->second;
}

OwnBlocks::Slot& OwnBlocks::make(const Place& place, Need need) {
  Array& array = array_of(place.id.array);
  Slot slot{place.id.number, frames_.allocate(bytes_of(place)), false};
  if (check_ && need == Need::write)
    block::fill_uninitialised(slot.frame->bytes(), type_of(place));
  else if (need == Need::prepare || !place.is_whole)
    clear(slot.frame);
  if (is_temp(place.id.array)) return array.temps.emplace_back(std::move(slot));
  return array.locals.insert_or_assign(place.id.number, std::move(slot)).first->second;
}

bool OwnBlocks::erase(const array::BlockId& id) noexcept {
  Array& array = array_of(id.array);
  if (!is_temp(id.array)) {
    auto node = array.locals.extract(id.number);
    if (node) recycle(std::move(node.mapped().frame));
    return !node.empty();
  }
  const auto slot = std::ranges::find(array.temps, id.number, &Slot::number);
  if (slot == array.temps.end()) return false;
  recycle(std::move(slot->frame));
  *slot = std::move(array.temps.back());
  array.temps.pop_back();
  return true;
}

void OwnBlocks::bring_to_host(Slot& slot, const Place& place, Need need) {
  if ((need != Need::write || !place.is_whole) && device_->host_reads(*slot.frame))
    ++array_of(place.id.array).device_results_read;
  if (need != Need::read) device_->host_writes(*slot.frame);
}

void OwnBlocks::replace(Slot& slot, block::Frame fresh) noexcept {
  recycle(std::move(slot.frame));
  slot.frame = std::move(fresh);
}

void OwnBlocks::make_writable(Slot& slot, bool keeps_values) {
  if (base::is_sole_holder(slot.frame)) return;
  block::Frame fresh = frames_.allocate(slot.frame->size());
  if (keeps_values) std::memcpy(fresh->data(), slot.frame->data(), fresh->size());
  replace(slot, std::move(fresh));
}

View OwnBlocks::view(Slot& slot, const Place& place, Need need) {
  if (device_ != nullptr) bring_to_host(slot, place, need);
  if (need != Need::read) make_writable(slot, need != Need::write || !place.is_whole);
  return part_of(slot.frame->data(), place);
}

block::SharedFrame OwnBlocks::share(Slot& slot, const Place& place, Sending* sending) {
  if (device_ == nullptr) return slot.frame;
  if (sending == nullptr) {
    bring_to_host(slot, place, Need::read);
    return slot.frame;
  }
  const bool is_there = device_->is_modified(*slot.frame);
  sending->under_way = device_->send(slot.frame, sending->reads_devices);
  const bool is_direct = sending->under_way && sending->under_way->place() != nullptr;
  if (is_there && !is_direct) ++array_of(place.id.array).device_results_read;
  return slot.frame;
}

void OwnBlocks::allocate(Slot& slot, const Place& place) {
  if (device_ != nullptr) bring_to_host(slot, place, Need::write);
  make_writable(slot, false);
  clear(slot.frame);
  slot.is_allocated = true;
}

/// A frame that others hold too will never be written to: the copy on the device goes over to a
/// new one.
block::SharedFrame OwnBlocks::device_result(Slot& slot, const Place& place, bool updates) {
  ++array_of(place.id.array).device_results;
  if (base::is_sole_holder(slot.frame)) return slot.frame;
  block::Frame fresh = frames_.allocate(slot.frame->size());
  if (updates && !device_->move(*slot.frame, *fresh)) {
    device_->host_reads(*slot.frame);
    std::memcpy(fresh->data(), slot.frame->data(), fresh->size());
  }
  replace(slot, std::move(fresh));
  return slot.frame;
}

double OwnBlocks::device_results_read(std::int32_t array) const {
  const Array& of = arrays_[static_cast<std::size_t>(array)];
  if (of.device_results == 0) return 1.0;
  return std::min(
      1.0, static_cast<double>(of.device_results_read) / static_cast<double>(of.device_results));
}

std::vector<array::BlockId> OwnBlocks::made(std::int32_t array) const {
  const Array& of = arrays_[static_cast<std::size_t>(array)];
  std::vector<array::BlockId> result;
  for (const Slot& slot : of.temps) result.push_back({array, slot.number});
  for (const auto& [number, slot] : of.locals) result.push_back({array, number});
  std::ranges::sort(result, {}, &array::BlockId::number);
  return result;
}

void OwnBlocks::save(std::int32_t array, const AddFrame& add) const {
  const Array& of = arrays_[static_cast<std::size_t>(array)];
  using Kind = SavedFrame::Kind;
  for (const Slot& slot : of.temps)
    add({Kind::temp, slot.is_allocated, {array, slot.number}, {}, {}, 0}, slot.frame);
  std::vector<const Slot*> locals;
  for (const auto& [number, slot] : of.locals) locals.push_back(&slot);
  std::ranges::sort(locals, {}, &Slot::number);  // the same order on all workers
  for (const Slot* slot : locals)
    add({Kind::local, slot->is_allocated, {array, slot->number}, {}, {}, 0}, slot->frame);
}

void OwnBlocks::restore(const SavedFrame& saved, block::Frame frame) {
  Array& of = array_of(saved.id.array);
  Slot slot{saved.id.number, std::move(frame), saved.is_allocated != 0};
  if (saved.kind == SavedFrame::Kind::temp)
    of.temps.push_back(std::move(slot));
  else
    of.locals.insert_or_assign(saved.id.number, std::move(slot));
}

}  // namespace blockyard::worker::detail
