// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/blocks.h"

#include <fmt/format.h>

#include <cstring>

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

}  // namespace

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

void Blocks::locate(std::int32_t selector, Located& into) const {
  into.number = selector;
  into.selector = &selector_at(selector);
  switch (into.selector->form) {
    case SelectorForm::block:
      flow::locate(naming_, *into.selector, index_values_, into.place);
      break;
    case SelectorForm::whole:
      into.place.shape = statics_.shape(into.selector->array);
      break;
    case SelectorForm::region:
      into.place.shape = regions_.shape(selector);
      break;
    case SelectorForm::every:  // allocate and deallocate go through its blocks
      into.place.shape = {};
      break;
  }
}

Located Blocks::locate(std::int32_t selector) const {
  Located at;
  locate(selector, at);
  return at;
}

View Blocks::read(const Located& from) {
  const View all = view(from, Need::read);
  const program::Part part = from.selector->part;
  const bool is_imaginary = part == program::Part::imaginary;
  return is_imaginary || part == program::Part::real ? parts_of(all, is_imaginary) : all;
}

View Blocks::view(const Located& at, Need need) {
  const std::int32_t array = at.selector->array;
  if (at.selector->form == SelectorForm::region) return regions_.view(at.number);
  if (at.selector->form == SelectorForm::whole)
    return need == Need::read ? statics_.whole(array) : whole(array);
  switch (decl(array).kind) {
    case ArrayKind::static_:
      if (need != Need::read) statics_.forget_copy(at.place.id);
      return statics_.block(at.place);
    case ArrayKind::temp:
    case ArrayKind::local:
      return own_view(at.place, need);
    case ArrayKind::distributed:
    case ArrayKind::served:
      return copy_view(at.place, need);
  }
  return {};
}

/// Temps, and own versions of distributed blocks, live until the end of the innermost scope.
OwnBlocks::Slot& Blocks::make_own(const Place& place, Need need) {
  OwnBlocks::Slot& slot = own_.make(place, need);
  const ArrayKind kind = decl(place.id.array).kind;
  if (kind == ArrayKind::temp) scope_.push_back({Record::temp, place.id});
  if (is_remote(kind)) scope_.push_back({Record::own, place.id});
  return slot;
}

View Blocks::own_view(const Place& place, Need need) {
  if (OwnBlocks::Slot* const slot = own_.find(place.id)) return own_.view(*slot, place, need);
  if (need == Need::read || need == Need::update) report_missing(place.id);
  return own_.part_of(make_own(place, need).frame->data(), place);
}

View Blocks::copy_view(const Place& place, Need need) {
  if (OwnBlocks::Slot* const slot = own_.find(place.id)) return own_.view(*slot, place, need);
  const block::BlockCache::Pin copy = fetch(place.id);
  if (!copy && (need == Need::read || need == Need::update)) report_missing(place.id);
  if (need == Need::read) {
    if (copy.is_missing()) return {{nullptr, place.shape, {}}, decl(place.id.array).type};
    // Cached blocks are immutable: views for reading are never written through.
    return own_.part_of(const_cast<std::byte*>(copy.frame()->data()), place);
  }
  const bool keeps_values = need != Need::write || !place.is_whole;
  const block::SharedFrame old = copy && keeps_values ? copy.frame() : nullptr;
  OwnBlocks::Slot& own = make_own(place, keeps_values ? Need::prepare : Need::write);
  if (old) std::memcpy(own.frame->data(), old->data(), old->size());
  return own_.part_of(own.frame->data(), place);
}

block::BlockCache::Pin Blocks::fetch(const array::BlockId& id) {
  block::BlockCache::Pin copy = fetched_.find(id);
  if (copy) keep(id, copy);
  return copy;
}

/// Until the end of the innermost scope, unless an outer one keeps it already.
void Blocks::keep(const array::BlockId& id, const block::BlockCache::Pin& pin) {
  if (pin.is_only()) scope_.push_back({Record::pin, id, pin.again()});
}

array::BlockId Blocks::get(std::int32_t selector) {
  const Place place = locate(selector_at(selector));
  const block::BlockCache::Pin copy = fetched_.request(place.id, own_.bytes_of(place));
  if (!copy.is_renewed() || !renew(place.id, copy)) keep(place.id, copy);
  return place.id;
}

/// Scopes that keep what a block was keep what it is. False: none does.
bool Blocks::renew(const array::BlockId& id, const block::BlockCache::Pin& pin) {
  bool is_kept = false;
  for (Made& made : scope_) {
    if (made.record != Record::pin || made.id != id) continue;
    made.pin = pin.again();
    is_kept = true;
  }
  return is_kept;
}

block::SharedFrame Blocks::share(std::int32_t selector, Sending* sending) {
  const Located at = locate(selector);
  const ArrayKind kind = decl(at.selector->array).kind;
  if (at.is_whole_block() && kind != ArrayKind::static_) {
    if (OwnBlocks::Slot* const own = own_.find(at.place.id))
      return own_.share(*own, at.place, sending);
    if (is_remote(kind))
      if (const auto copy = fetch(at.place.id); copy && copy.frame()) return copy.frame();
  }
  const View from = read(at);
  block::Frame copy = frames_.allocate(from.bytes());
  if (from.data == nullptr)
    std::memset(copy->data(), 0, copy->size());
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
    const Made& made = scope_.back();
    if (made.record == Record::own || made.record == Record::temp) own_.erase(made.id);
    scope_.pop_back();
  }
}

void Blocks::allocate(std::int32_t selector) {
  flow::for_each_selected(naming_, selector_at(selector), index_values_, [&](const Place& place) {
    OwnBlocks::Slot* const slot = own_.find(place.id);
    own_.allocate(slot != nullptr ? *slot : make_own(place, Need::write), place);
  });
}

void Blocks::deallocate(std::int32_t selector) {
  flow::for_each_selected(naming_, selector_at(selector), index_values_, [&](const Place& place) {
    if (!own_.erase(place.id))
      throw Error(Errc::bad_input,
                  fmt::format("attempt to deallocate block {}, which does not exist; was it "
                              "deallocated before, or never allocated?",
                              naming_.block(place.id)));
  });
}

void Blocks::forget_copies() {
  for (Made& made : scope_) {
    if (made.record == Record::own) own_.erase(made.id);
    if (made.record != Record::temp) made = {Record::none, made.id};
  }
  cache().clear();
  if (device_ != nullptr) device_->sweep();
}

void Blocks::forget_copies(std::int32_t array) {
  for (Made& made : scope_)
    if (made.record == Record::pin && made.id.array == array) made = {Record::none, made.id};
  cache().forget(array);
}

void Blocks::forget_array(std::int32_t array) {
  for (Made& made : scope_)
    if (made.record == Record::own && made.id.array == array) {
      own_.erase(made.id);
      made.record = Record::none;
    }
  forget_copies(array);
}

std::byte* Blocks::scratch(std::size_t bytes) {
  scratch_.push_back(frames_.allocate(bytes));
  return scratch_.back()->data();
}

void Blocks::release_scratch() noexcept {
  for (block::Frame& frame : scratch_) own_.recycle(std::move(frame));
  scratch_.clear();
}

std::vector<std::string> Blocks::leaks() const {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < naming_.program.arrays.size(); ++k) {
    if (naming_.program.arrays[k].kind != ArrayKind::local) continue;
    const auto array = static_cast<std::int32_t>(k);
    for (const array::BlockId& id : own_.made(array)) names.push_back(naming_.block(id));
    if (const std::size_t count = regions_.count(array); count > 0)
      names.push_back(fmt::format("{} region(s) of {}", count, naming_.array(array)));
  }
  return names;
}

std::vector<block::SharedFrame> Blocks::save(ProgramState& state) const {
  std::vector<block::SharedFrame> frames;
  const auto add = [&](const SavedFrame& as, const block::Frame& frame) {
    if (device_ != nullptr) device_->host_reads(*frame);
    state.frames.push_back(as);
    state.frames.back().bytes = frame->size();
    frames.push_back(frame);
  };
  for (std::size_t k = 0; k < naming_.program.arrays.size(); ++k) {
    const auto array = static_cast<std::int32_t>(k);
    if (const block::Frame& whole = statics_.frame(array))
      add({SavedFrame::Kind::whole, 0, {array, 0}, {}, {}, 0}, whole);
    own_.save(array, add);
    regions_.save(array, add);
  }
  state.region_bounds = regions_.all_bounds();
  for (const Made& made : scope_)
    state.scope.push_back({static_cast<std::uint8_t>(made.record), made.id});
  state.scope_begins.assign(scope_begins_.begin(), scope_begins_.end());
  return frames;
}

void Blocks::load(const ProgramState& state, RecordSource& source) {
  if (!regions_.restore(state.region_bounds)) refuse_state();
  for (const ProgramState::Made& made : state.scope)
    scope_.push_back({static_cast<Record>(made.record), made.id, {}});
  scope_begins_.assign(state.scope_begins.begin(), state.scope_begins.end());
  for (const SavedFrame& saved : state.frames) {
    if (static_cast<std::size_t>(saved.id.array) >= naming_.program.arrays.size()) refuse_state();
    if (saved.kind == SavedFrame::Kind::whole) {
      const block::Frame& whole = statics_.frame(saved.id.array);
      if (!whole || whole->size() != saved.bytes) refuse_state();
      source.next(whole->bytes());
      continue;
    }
    block::Frame frame = frames_.allocate(saved.bytes);
    source.next(frame->bytes());
    if (saved.kind != SavedFrame::Kind::region)
      own_.restore(saved, std::move(frame));
    else if (!regions_.restore(saved, std::move(frame)))
      refuse_state();
  }
}

}  // namespace blockyard::worker::detail
