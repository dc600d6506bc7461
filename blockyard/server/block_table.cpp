// SPDX-License-Identifier: Apache-2.0
#include "blockyard/server/block_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/server/payload.h"
#include "blockyard/tensor/elementwise.h"

namespace blockyard::server {

using base::Errc;
using base::Error;

namespace {

Verb verb_of(wire::PutMode mode) {
  const bool adds = mode == wire::PutMode::add || mode == wire::PutMode::subtract;
  return adds ? Verb::accumulate : Verb::put;
}

void require_length(const SlotRef& slot, std::size_t bytes) {
  if (slot != nullptr && slot->bytes() != bytes)
    throw Error(Errc::comm, fmt::format("a put of {} bytes does not match the block's {} bytes",
                                        bytes, slot->bytes()));
}

/// Every value = or += or *= the one of `op`.
template <class T>
void change(std::span<T> values, const wire::PutScalar& op) {
  const T value = array::element_from<T>({op.value, op.imaginary});
  switch (op.mode) {
    case wire::PutMode::set:
      return tensor::fill<T>(values, value);
    case wire::PutMode::add:
      return tensor::add_scalar<T>(values, value);
    case wire::PutMode::subtract:
      return tensor::add_scalar<T>(values, -value);
    case wire::PutMode::multiply:
      return tensor::scale<T>(values, value);
  }
}

}  // namespace

BlockTable::BlockTable(BlockMemory& memory, base::BufferPool& pool, Identity identity,
                       Outbox& outbox, bool is_deterministic)
    : memory_(memory),
      pool_(pool),
      identity_(identity),
      outbox_(outbox),
      is_deterministic_(is_deterministic) {}

std::optional<BlockTable::Target> BlockTable::target_of(const wire::Any& message) {
  if (const auto* op = std::get_if<wire::GetBlock>(&message))
    return Target{op->ticket, op->block, Verb::get, op->access};
  if (const auto* op = std::get_if<wire::PutBlock>(&message))
    return Target{op->ticket, op->block, verb_of(op->mode), op->access};
  if (const auto* op = std::get_if<wire::PutScalar>(&message))
    return Target{op->ticket, op->block, verb_of(op->mode), op->access};
  return std::nullopt;
}

/// Of requests about whole arrays. A list of the blocks does not: when it comes depends on the
/// workers, and so would the order of sums.
bool BlockTable::needs_whole_blocks(const wire::Any& message) {
  return !target_of(message) && !std::holds_alternative<wire::ListBlocks>(message);
}

void BlockTable::take(Request request) {
  const bool is_about_array = !target_of(request.message);
  if (needs_whole_blocks(request.message) && later_.empty()) add_all_parts();
  const bool must_be_alone = is_about_array && is_waiting();
  if (must_be_alone || !later_.empty()) {
    later_.push_back(std::move(request));
  } else {
    start(std::move(request));
  }
}

void BlockTable::resume(std::span<const array::BlockId> arrived) {
  for (const array::BlockId& id : arrived)
    if (drain(id) == Outcome::no_room) stalled_.push_front(id);
  resume_stalled();
  while (!later_.empty() && (target_of(later_.front().message) || !is_waiting())) {
    if (!target_of(later_.front().message)) {
      if (needs_whole_blocks(later_.front().message)) add_all_parts();
      if (is_waiting()) return;
    }
    Request request = std::move(later_.front());
    later_.pop_front();
    start(std::move(request));
  }
}

/// Room is given in the order of waiting: else large blocks might wait for ever.
void BlockTable::resume_stalled() {
  is_first_stalled_ = true;
  while (!stalled_.empty() && drain(stalled_.front()) != Outcome::no_room) stalled_.pop_front();
  is_first_stalled_ = false;
}

void BlockTable::start(Request request) {
  if (const auto target = target_of(request.message)) {
    start_on_block(std::move(request), *target);
  } else {
    start_on_array(request.from, request.message);
  }
}

void BlockTable::start_on_block(Request request, const Target& target) {
  Block* block = find(target.id);
  if (block == nullptr) {
    if (target.verb == Verb::get) {
      outbox_.reply(request.from, wire::Failed{target.ticket,
                                               wire::Failure::never_written,
                                               {},
                                               "",
                                               std::string(text_of(target.verb))});
      return;
    }
    block = &find_or_make(target.id);
  }
  if (const auto clash = block->touched.meet(target.verb, target.access, identity_)) {
    outbox_.reply(request.from, wire::Failed{target.ticket, wire::Failure::race, clash->earlier,
                                             std::string(text_of(clash->earlier_verb)),
                                             std::string(text_of(target.verb))});
    return;
  }
  serve_or_queue(*block, target.id, std::move(request));
}

void BlockTable::serve_or_queue(Block& block, const array::BlockId& id, Request request) {
  if (const auto queue = waiting_.find(id); queue != waiting_.end()) {
    request.queued_at = base::now_seconds();
    queue->second.push_back(std::move(request));
    return;
  }
  const Outcome outcome = serve(block, request);
  if (outcome == Outcome::served) return;
  request.queued_at = base::now_seconds();
  waiting_[id].push_back(std::move(request));
  if (outcome == Outcome::coming) awaited_->wanted_by.push_back(id);
  if (outcome == Outcome::no_room) stalled_.push_back(id);
}

BlockTable::Block* BlockTable::find(const array::BlockId& id) {
  const auto array = arrays_.find(id.array);
  if (array == arrays_.end()) return nullptr;
  const auto block = array->second.blocks.find(id.number);
  return block == array->second.blocks.end() ? nullptr : &block->second;
}

/// A block that is not there comes now.
BlockTable::Block& BlockTable::find_or_make(const array::BlockId& id) {
  Array& array = arrays_[id.array];
  if (array.generation == 0) array.generation = ++last_generation_;
  const auto [block, is_new] = array.blocks.try_emplace(id.number);
  if (is_new) array.numbers.push_back(id.number);
  return block->second;
}

/// Serves the queue of a block as far as possible. Returns what stopped it, if anything.
BlockTable::Outcome BlockTable::drain(const array::BlockId& id) {
  Block* block = find(id);
  const auto queue = waiting_.find(id);
  base::require(block != nullptr && queue != waiting_.end(), "what waits is there");
  while (!queue->second.empty()) {
    const Outcome outcome = serve(*block, queue->second.front());
    if (outcome == Outcome::coming) awaited_->wanted_by.push_back(id);
    if (outcome != Outcome::served) return outcome;
    queue->second.pop_front();
  }
  waiting_.erase(queue);
  return Outcome::served;
}

BlockTable::Outcome BlockTable::serve(Block& block, const Request& request) {
  if (const auto* op = std::get_if<wire::GetBlock>(&request.message))
    return get(block, request, *op);
  if (const auto* op = std::get_if<wire::PutBlock>(&request.message))
    return put(block, request, *op);
  return put_scalar(block, request.from, std::get<wire::PutScalar>(request.message));
}

BlockTable::Outcome BlockTable::get(Block& block, const Request& request,
                                    const wire::GetBlock& op) {
  Outcome outcome = add_parts(block, op.block);
  if (outcome != Outcome::served || request.from == nobody) return outcome;
  outcome = bring(*block.slot);
  if (outcome != Outcome::served) return outcome;
  ++outbox_.counts.gets;
  const double waited = request.queued_at > 0 ? base::now_seconds() - request.queued_at : 0;
  outbox_.reply(request.from, wire::BlockData{op.ticket, waited}, block.slot->payload());
  return outcome;
}

BlockTable::Outcome BlockTable::put(Block& block, const Request& request,
                                    const wire::PutBlock& op) {
  const fabric::Payload& payload = request.payload;
  if (!payload || payload->size() == 0 || payload->size() % array::bytes_of(op.element) != 0 ||
      op.mode == wire::PutMode::multiply)
    throw Error(Errc::comm, "received a put of a block without its values");
  block.element = op.element;
  if (verb_of(op.mode) == Verb::put)
    if (const Outcome outcome = add_parts(block, op.block); outcome != Outcome::served)
      return outcome;
  SlotRef& slot = slot_of(block, op.block, op.mode, op.access.worker);
  const bool adopts =
      op.mode == wire::PutMode::set || (op.mode == wire::PutMode::add && slot == nullptr);
  const double factor = op.mode == wire::PutMode::subtract ? -1.0 : 1.0;
  const Outcome outcome = adopts ? install(slot, op.block.array, payload)
                                 : add_values(slot, op.block.array, op.element, payload, factor);
  if (outcome != Outcome::served) return outcome;
  ++outbox_.counts.puts;
  outbox_.counts.bytes_received += payload->size();
  outbox_.reply(request.from, wire::Done{op.ticket});
  return outcome;
}

BlockTable::Outcome BlockTable::put_scalar(Block& block, int from, const wire::PutScalar& op) {
  if (op.count <= 0) throw Error(Errc::comm, "a put of a scalar came for a block of no values");
  block.element = op.element;
  const bool needs_old = op.mode != wire::PutMode::set;
  if (verb_of(op.mode) == Verb::put)
    if (const Outcome added = add_parts(block, op.block); added != Outcome::served) return added;
  SlotRef& slot = slot_of(block, op.block, op.mode, op.access.worker);
  const std::size_t bytes = static_cast<std::size_t>(op.count) * array::bytes_of(op.element);
  const Outcome outcome =
      edit(slot, op.block.array, bytes, needs_old, [&](std::span<std::byte> values) {
        array::with_type(op.element, [&]<class T>() { change(values_of<T>(values), op); });
      });
  if (outcome != Outcome::served) return outcome;
  ++outbox_.counts.puts;
  outbox_.reply(from, wire::Done{op.ticket});
  return outcome;
}

/// Makes `payload` the values of a slot.
BlockTable::Outcome BlockTable::install(SlotRef& slot, std::int32_t array,
                                        const fabric::Payload& payload) {
  require_length(slot, payload->size());
  // Payloads lent by another process are returned at once: they use its memory.
  const auto own = [&] { return payload->is_lent() ? copy_of(payload->bytes(), pool_) : payload; };
  if (slot != nullptr && slot.use_count() == 1 && slot->is_replaceable()) {
    memory_.replace(*slot, own());
    return Outcome::served;
  }
  if (!has_room(payload->size(), nullptr)) return Outcome::no_room;
  slot = memory_.adopt(array, own());
  return Outcome::served;
}

/// Changes the values of a slot, zeros if it is absent: in place if they have no other holder, else
/// a copy. `needs_old`: the change reads the old values.
template <class Change>
BlockTable::Outcome BlockTable::edit(SlotRef& slot, std::int32_t array, std::size_t bytes,
                                     bool needs_old, const Change& change) {
  require_length(slot, bytes);
  if (slot != nullptr && needs_old) {
    const Outcome outcome = bring(*slot);
    if (outcome != Outcome::served) return outcome;
  }
  const bool has_old = slot != nullptr && slot->is_resident();
  const bool is_alone = slot != nullptr && slot.use_count() == 1 && slot->is_replaceable();
  if (is_alone) {
    if (const auto values = own_bytes_of(slot->payload()); !values.empty()) {
      change(values);
      memory_.replace(*slot, slot->payload());
      return Outcome::served;
    }
  } else if (!has_room(bytes, slot.get())) {
    return Outcome::no_room;
  }
  // A copy that replaces values still held by workers needs no room of ours: they count those.
  fabric::Payload changed =
      has_old && needs_old ? copy_of(slot->payload()->bytes(), pool_) : zeros(bytes, pool_);
  change(own_bytes_of(changed));
  if (is_alone) {
    memory_.replace(*slot, std::move(changed));
  } else {
    slot = memory_.adopt(array, std::move(changed));
  }
  return Outcome::served;
}

BlockTable::Outcome BlockTable::add_values(SlotRef& slot, std::int32_t array,
                                           array::ElementType element,
                                           const fabric::Payload& payload, double factor) {
  return edit(slot, array, payload->size(), true, [&](std::span<std::byte> values) {
    array::with_type(element, [&]<class T>() {
      tensor::axpy<T>(static_cast<tensor::Real<T>>(factor), values_of<T>(payload->bytes()),
                      values_of<T>(values));
    });
  });
}

/// `served` if the values are in memory now; begins to read them if they are on disk.
BlockTable::Outcome BlockTable::bring(Slot& slot) {
  if (slot.is_resident()) {
    memory_.touch(slot);
    return Outcome::served;
  }
  if (!slot.is_being_read()) {
    if (!has_room(slot.bytes(), nullptr)) return Outcome::no_room;
    memory_.read_back(slot);
  }
  awaited_ = &slot;
  return Outcome::coming;
}

bool BlockTable::has_room(std::size_t bytes, const Slot* kept) {
  return (stalled_.empty() || is_first_stalled_) && memory_.make_room(bytes, kept);
}

}  // namespace blockyard::server
