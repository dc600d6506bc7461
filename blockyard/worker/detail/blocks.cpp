// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"

namespace blockyard::worker::detail {

using base::Errc;
using base::Error;
using program::ArrayKind;
using program::Selector;
using program::SelectorForm;

namespace {

bool is_remote(ArrayKind kind) {
  return kind == ArrayKind::distributed || kind == ArrayKind::served;
}

/// A zero of any type has no bit set.
void clear(const block::Frame& frame) { std::memset(frame->data(), 0, frame->size()); }

}  // namespace

Blocks::Blocks(const Naming& naming, const std::vector<std::int64_t>& index_values,
               const wire::Access& here, block::FramePool& frames, block::BlockCache& cache,
               bool check)
    : naming_(naming),
      index_values_(index_values),
      here_(here),
      frames_(frames),
      cache_(cache),
      check_(check),
      statics_(naming, frames),
      regions_(naming, index_values, frames),
      waits_(naming.program.code.size()) {
  arrays_.reserve(naming.program.arrays.size());
  for (std::size_t k = 0; k < naming.program.arrays.size(); ++k) arrays_.emplace_back(nodes_);
}

Blocks::~Blocks() {
  release_scratch();
  for (Array& array : arrays_) {
    for (Slot& slot : array.temps) recycle(std::move(slot.frame));
    for (auto& [number, slot] : array.locals) recycle(std::move(slot.frame));
  }
}

void Blocks::recycle(block::Frame frame) noexcept {
  if (device_ != nullptr) device_->forget(*frame);
  frames_.recycle(std::move(frame));
}

void Blocks::report_missing(const array::BlockId& id) const {
  const ArrayKind kind = decl(id.array).kind;
  const std::string name = naming_.block(id);
  std::string hint = "assign to it first in this iteration";
  if (kind == ArrayKind::local) hint = "allocate it or assign to it first";
  if (is_remote(kind))
    hint = fmt::format("a '{} {}' must come before in this loop iteration",
                       kind == ArrayKind::served ? "request" : "get", naming_.array(id.array));
  throw Error(Errc::bad_input,
              fmt::format("attempt to read block {}, which does not exist; {}", name, hint));
}

View Blocks::part_of(std::byte* data, const Place& place) const {
  View result = View::dense(data, place.block_shape, type_of(place.id.array));
  if (place.is_whole) return result;
  for (std::size_t k = 0; k < place.shape.order(); ++k)
    result.advance(place.at[k] * result.strides[k]);
  result.shape = place.shape;
  return result;
}

View Blocks::read(std::int32_t selector) {
  const View all = view(selector, Need::read);
  const program::Part part = selector_at(selector).part;
  const bool is_imaginary = part == program::Part::imaginary;
  return is_imaginary || part == program::Part::real ? parts_of(all, is_imaginary) : all;
}
View Blocks::write(std::int32_t selector) { return view(selector, Need::write); }
View Blocks::update(std::int32_t selector) { return view(selector, Need::update); }

View Blocks::view(std::int32_t selector, Need need) {
  const Selector& selected = selector_at(selector);
  if (selected.form == SelectorForm::region) return regions_.view(selector);
  if (selected.form == SelectorForm::whole)
    return need == Need::read ? statics_.whole(selected.array) : whole(selected.array);
  return block_view(selected, need);
}

View Blocks::block_view(const Selector& selected, Need need) {
  const Place place = locate(selected);
  switch (decl(selected.array).kind) {
    case ArrayKind::static_:
      if (need != Need::read) statics_.forget_copy(place.id);
      return statics_.block(place);
    case ArrayKind::temp:
    case ArrayKind::local:
      return own_view(place, need);
    case ArrayKind::distributed:
    case ArrayKind::served:
      return copy_view(place, need);
  }
  return {};
}

Blocks::Slot* Blocks::find_own(const array::BlockId& id) {
  Array& array = arrays_[static_cast<std::size_t>(id.array)];
  if (decl(id.array).kind == ArrayKind::temp) {
    for (Slot& slot : array.temps)
      if (slot.number == id.number) return &slot;
    return nullptr;
  }
  const auto found = array.locals.find(id.number);
  return found == array.locals.end() ? nullptr : &found->second;
}

Blocks::Slot& Blocks::make_own(const Place& place, Need need) {
  Array& array = arrays_[static_cast<std::size_t>(place.id.array)];
  const ArrayKind kind = decl(place.id.array).kind;
  Slot slot{place.id.number, frames_.allocate(bytes_of(place)), false};
  if (check_ && need == Need::write)
    fill_uninitialised(slot.frame->bytes(), type_of(place.id.array));
  else if (need == Need::prepare || !place.is_whole)
    clear(slot.frame);
  if (kind == ArrayKind::temp) {
    scope_.push_back({Record::temp, place.id});
    array.temps.push_back(std::move(slot));
    return array.temps.back();
  }
  if (is_remote(kind)) scope_.push_back({Record::own, place.id});
  return array.locals.insert_or_assign(place.id.number, std::move(slot)).first->second;
}

void Blocks::make_writable(Slot& slot, bool keeps_values) {
  if (base::is_sole_holder(slot.frame)) return;
  block::Frame fresh = frames_.allocate(slot.frame->size());
  if (keeps_values) std::memcpy(fresh->data(), slot.frame->data(), fresh->size());
  recycle(std::move(slot.frame));
  slot.frame = std::move(fresh);
}

View Blocks::own_view(const Place& place, Need need) {
  Slot* slot = find_own(place.id);
  if (slot == nullptr) {
    if (need == Need::read || need == Need::update) report_missing(place.id);
    slot = &make_own(place, need);
    return part_of(slot->frame->data(), place);
  }
  if (device_ != nullptr) look(*slot, need, place);
  if (need != Need::read) {
    make_writable(*slot, need != Need::write || !place.is_whole);
  }
  return part_of(slot->frame->data(), place);
}

View Blocks::copy_view(const Place& place, Need need) {
  if (find_own(place.id) != nullptr) return own_view(place, need);
  const block::BlockCache::Pin copy = fetched(place.id);
  if (!copy && (need == Need::read || need == Need::update)) report_missing(place.id);
  if (need == Need::read) {
    if (copy.is_missing()) return {{nullptr, place.shape, {}}, type_of(place.id.array)};
    // Cached blocks are immutable: views for reading are never written through.
    return part_of(const_cast<std::byte*>(copy.frame()->data()), place);
  }
  const bool keeps_values = need != Need::write || !place.is_whole;
  const block::SharedFrame old = copy && keeps_values ? copy.frame() : nullptr;
  Slot& own = make_own(place, keeps_values ? Need::prepare : Need::write);
  if (old) std::memcpy(own.frame->data(), old->data(), old->size());
  return part_of(own.frame->data(), place);
}

block::BlockCache::Pin Blocks::fetched(const array::BlockId& id) {
  block::BlockCache::Pin copy = cache_.find(id);
  if (!copy) return copy;
  Wait& wait = waits_[static_cast<std::size_t>(copy.pc())];
  ++wait.accesses;
  if (copy.is_waiting()) complete(copy, wait);
  if (copy.is_missing() && !decl(id.array).is_sparse)
    throw Error(
        Errc::bad_input,
        fmt::format("{} of block {}, which was never written (nor with put or prepare by any "
                    "worker); is a put, or a sip_barrier after it, missing?",
                    decl(id.array).kind == ArrayKind::served ? "request" : "get",
                    naming_.block(id)));
  keep(id, copy);
  return copy;
}

/// Until the end of the innermost scope, unless an outer one keeps it already.
void Blocks::keep(const array::BlockId& id, const block::BlockCache::Pin& pin) {
  if (pin.is_only()) scope_.push_back({Record::pin, id, pin.again()});
}

void Blocks::complete(const block::BlockCache::Pin& pin, Wait& wait) {
  const double begin = base::now_seconds();
  if (!cache_.complete(pin)) return;
  const double end = base::now_seconds();
  ++wait.blocked;
  wait.seconds += end - begin;
  wait.transfer_seconds += end - pin.sent_seconds();
  wait_seconds_ += end - begin;
  disk_seconds_ += std::min(pin.disk_seconds(), end - begin);
  if (wait.accesses == 1) wait.first_seconds = end - begin;
}

array::BlockId Blocks::get(std::int32_t selector) {
  const Place place = locate(selector_at(selector));
  const std::uint64_t hits = cache_.hits(), early_hits = cache_.early_hits();
  keep(place.id, cache_.request(place.id, bytes_of(place), {here_.pc, here_.iteration}));
  Wait& wait = waits_[static_cast<std::size_t>(here_.pc)];
  ++wait.gets;
  wait.hits += cache_.hits() - hits;
  wait.early_hits += cache_.early_hits() - early_hits;
  return place.id;
}

block::SharedFrame Blocks::share(std::int32_t selector, Sending* sending) {
  const Selector& selected = selector_at(selector);
  if (selected.form == SelectorForm::block) {
    const Place place = locate(selected);
    const ArrayKind kind = decl(selected.array).kind;
    if (place.is_whole && kind != ArrayKind::static_) {
      if (Slot* own = find_own(place.id)) {
        if (sending != nullptr && device_ != nullptr)
          send(*own, place, *sending);
        else if (device_ != nullptr)
          look(*own, Need::read, place);
        return own->frame;
      }
      if (is_remote(kind))
        if (const auto copy = fetched(place.id); copy && copy.frame()) return copy.frame();
    }
  }
  const View from = read(selector);
  block::Frame copy = frames_.allocate(from.bytes());
  if (from.data == nullptr)
    clear(copy);
  else
    copy_dense(from, copy->data());
  block::SharedFrame shared = copy;
  frames_.recycle(std::move(copy));
  return shared;
}

void Blocks::close_scope() {
  const std::size_t begin = scope_begins_.back();
  scope_begins_.pop_back();
  while (scope_.size() > begin) {
    erase(scope_.back());
    scope_.pop_back();
  }
}

void Blocks::erase(const Made& made) noexcept {
  Array& array = arrays_[static_cast<std::size_t>(made.id.array)];
  switch (made.record) {
    case Record::none:
    case Record::pin:
      break;
    case Record::own:
      if (auto node = array.locals.extract(made.id.number)) recycle(std::move(node.mapped().frame));
      break;
    case Record::temp: {
      const auto slot = std::ranges::find(array.temps, made.id.number, &Slot::number);
      recycle(std::move(slot->frame));
      *slot = std::move(array.temps.back());
      array.temps.pop_back();
      break;
    }
  }
}

void Blocks::forget_copies() {
  for (Made& made : scope_) {
    if (made.record == Record::own) erase(made);
    if (made.record != Record::temp) made = {Record::none, made.id};
  }
  cache_.clear();
  if (device_ != nullptr) device_->sweep();
}

void Blocks::forget_copies(std::int32_t array) {
  for (Made& made : scope_)
    if (made.record == Record::pin && made.id.array == array) made = {Record::none, made.id};
  cache_.forget(array);
}

void Blocks::forget_array(std::int32_t array) {
  for (Made& made : scope_)
    if (made.record == Record::own && made.id.array == array) {
      erase(made);
      made.record = Record::none;
    }
  forget_copies(array);
}

std::vector<array::BlockId> Blocks::made() const {
  std::vector<array::BlockId> result;
  for (std::size_t k = 0; k < arrays_.size(); ++k) {
    const auto begin = std::ssize(result);
    const auto array = static_cast<std::int32_t>(k);
    for (const Slot& slot : arrays_[k].temps) result.push_back({array, slot.number});
    for (const auto& [number, slot] : arrays_[k].locals) result.push_back({array, number});
    std::sort(result.begin() + begin, result.end(),
              [](const auto& a, const auto& b) { return a.number < b.number; });
  }
  return result;
}

std::byte* Blocks::scratch(std::size_t bytes) {
  scratch_.push_back(frames_.allocate(bytes));
  return scratch_.back()->data();
}

void Blocks::release_scratch() noexcept {
  for (block::Frame& frame : scratch_) recycle(std::move(frame));
  scratch_.clear();
}

}  // namespace blockyard::worker::detail
