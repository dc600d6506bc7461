// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/transfers.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/worker/detail/device_source.h"

namespace blockyard::worker::detail {

using base::Errc;
using base::Error;
using program::Instruction;
using program::Mode;

namespace {

/// Gets ahead of the program whose blocks are copied to the device.
constexpr std::uint64_t gets_ahead = 4;

wire::PutMode wire_mode(std::int32_t mode) {
  static_assert(static_cast<int>(Mode::set) == static_cast<int>(wire::PutMode::set) &&
                static_cast<int>(Mode::add) == static_cast<int>(wire::PutMode::add) &&
                static_cast<int>(Mode::subtract) == static_cast<int>(wire::PutMode::subtract) &&
                static_cast<int>(Mode::multiply) == static_cast<int>(wire::PutMode::multiply));
  return static_cast<wire::PutMode>(mode);
}

}  // namespace

void Transfers::get(std::int32_t selector) {
  const array::BlockId got = blocks_.get(selector);
  if (!prefetcher_.is_on()) return;
  prefetcher_.passed(setting_.here.pc, got);
  if (device_.residency() == nullptr) return;
  setting_.transport.look_around();
  prefetcher_.for_next(gets_ahead, [&](const array::BlockId& id) { device_.copy_ahead(id); });
}

void Transfers::put(const Instruction& instruction) {
  const Place place = blocks_.locate(setting_.selector(instruction.a));
  if (!place.is_whole)
    throw Error(Errc::bad_input,
                "a put writes whole blocks: insert the slice into a block and put that");
  blocks_.cache().outdate(place.id);
  const ElementType type = setting_.array(place.id.array).type;
  if (instruction.opcode == program::Opcode::put_scalar) {
    setting_.transport.put_scalar(place.id, wire_mode(instruction.b),
                                  variables_.values().pop_number(),
                                  place.block_shape.element_count(), type);
  } else {
    Sending sending;
    block::SharedFrame frame = values_to_put(instruction, place, sending);
    std::shared_ptr<fabric::Source> source;
    if (sending.under_way)
      source = std::make_shared<DeviceSource>(*device_.residency(), std::move(sending.under_way));
    setting_.transport.put(place.id, wire_mode(instruction.c), std::move(frame), type,
                           std::move(source));
  }
  if (const auto known = existing_.find(place.id.array); known != existing_.end())
    known->second.add(setting_.transport.home_of(place.id), place.id.number);
}

block::SharedFrame Transfers::values_to_put(const Instruction& instruction, const Place& place,
                                            Sending& sending) {
  const std::size_t element_bytes = array::bytes_of(setting_.array(place.id.array).type);
  const auto bytes = static_cast<std::size_t>(place.block_shape.element_count()) * element_bytes;
  sending.reads_devices = setting_.transport.reads_devices(place.id, bytes);
  block::SharedFrame frame = blocks_.share(
      instruction.b, setting_.transport.sends_as_it_comes(place.id, bytes) ? &sending : nullptr);
  if (frame->size() != bytes)
    throw Error(Errc::bad_input,
                fmt::format("put to block {} of {} elements: the right side has {}",
                            setting_.naming.block(place.id), place.block_shape.element_count(),
                            frame->size() / element_bytes));
  return frame;
}

bool Transfers::exists(std::int32_t selector) {
  const Place place = blocks_.locate(setting_.selector(selector));
  const int home = setting_.transport.home_of(place.id);
  ExistingBlocks& existing = existing_.try_emplace(place.id.array, place.id.array).first->second;
  // The home has what this worker put before: it hears that first.
  if (!existing.is_current(home))
    existing.take(home,
                  std::get<wire::BlockList>(setting_.transport.ask(home, existing.question(home))));
  return existing.contains(home, place.id.number);
}

void Transfers::outdate_existing(std::int32_t array) {
  if (const auto known = existing_.find(array); known != existing_.end()) known->second.outdate();
}

void Transfers::delete_array(std::int32_t array) {
  Transport& transport = setting_.transport;
  transport.settle();
  blocks_.forget_array(array);
  transport.meet(Collective::persist);
  transport.ask_share(wire::DeleteArray{0, array});
  transport.meet(Collective::persist);
  outdate_existing(array);
}

void Transfers::end_epoch() {
  setting_.transport.settle();
  blocks_.forget_copies();
  for (auto& [array, existing] : existing_) existing.outdate();
}

}  // namespace blockyard::worker::detail
