// SPDX-License-Identifier: Apache-2.0
// The part of Interpreter that deals with other workers and with servers.
#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "blockyard/base/bytes.h"
#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/worker/detail/checkpoint.h"
#include "blockyard/worker/detail/device_source.h"
#include "blockyard/worker/detail/interpreter.h"

namespace blockyard::worker::detail {

using base::Errc;
using base::Error;
using program::Instruction;
using program::Mode;

namespace {

wire::PutMode wire_mode(std::int32_t mode) {
  static_assert(static_cast<int>(Mode::set) == static_cast<int>(wire::PutMode::set) &&
                static_cast<int>(Mode::add) == static_cast<int>(wire::PutMode::add) &&
                static_cast<int>(Mode::subtract) == static_cast<int>(wire::PutMode::subtract) &&
                static_cast<int>(Mode::multiply) == static_cast<int>(wire::PutMode::multiply));
  return static_cast<wire::PutMode>(mode);
}

}  // namespace

void Interpreter::barrier() {
  transport_.settle();
  blocks_.forget_copies();
  const Wish wish =
      meet_with_wish(transport_, options_, Collective::barrier, !loops_.is_in_pardo());
  ++here_.epoch;
  loops_.restart_dealing();
  existing_.clear();
  if (wish != Wish::none) {
    const double begin = base::now_seconds();
    detail::save(transport_, options_, wish, kept_, environment_,
                 [this](RecordSink& sink) { save(sink); });
    checkpoint_seconds_ += base::now_seconds() - begin;
  }
  show_live();
  if (prefetcher_.is_on()) prefetcher_.begin_epoch(blocks_.pc() + 1);
}

void Interpreter::assert_same(std::int32_t scalar) {
  constexpr double tolerance = 5e-5;  // relative, as in ACES4
  base::ByteWriter mine;
  Number& value = scalars_[static_cast<std::size_t>(scalar)];
  const auto& decl = program_.scalars[static_cast<std::size_t>(scalar)];
  mine.value(value);
  const auto result = transport_.collect(Collective::assert_same, mine.take(), [&](auto parts) {
    const auto first = base::ByteReader(parts[0]).template value<Number>();
    for (std::size_t worker = 1; worker < parts.size(); ++worker) {
      const auto other = base::ByteReader(parts[worker]).template value<Number>();
      if (!(std::abs(other - first) <= tolerance * std::fmax(std::abs(first), std::abs(other))))
        throw Error(
            Errc::bad_input,
            fmt::format("assert_same: {} = {} on worker 0 and {} on worker {}", decl.name,
                        text_of(first, decl.is_complex), text_of(other, decl.is_complex), worker));
    }
    return parts[0];
  });
  value = base::ByteReader(result).value<Number>();
}

void Interpreter::broadcast(std::int32_t array, std::int64_t worker) {
  if (worker < 0 || worker >= options_.workers)
    throw Error(Errc::bad_input, fmt::format("broadcast_from: no worker {}; there are {}", worker,
                                             options_.workers));
  if (tables_.grids[static_cast<std::size_t>(array)].element_count() == 0) return;
  const View whole = blocks_.whole(array);
  const std::span<std::byte> values(whole.data, whole.bytes());
  std::vector<std::byte> mine;
  if (options_.worker == worker) mine.assign(values.begin(), values.end());
  const auto result = transport_.collect(Collective::broadcast, std::move(mine), [&](auto parts) {
    return parts[static_cast<std::size_t>(worker)];
  });
  if (result.size() != values.size())
    throw Error(Errc::bad_input, "broadcast_from: workers name different workers or arrays");
  std::memcpy(values.data(), result.data(), result.size());
}

void Interpreter::delete_array(std::int32_t array) {
  transport_.settle();
  blocks_.forget_array(array);
  transport_.meet(Collective::persist);
  if (options_.worker == 0) transport_.ask_all(wire::DeleteArray{0, array});
  transport_.meet(Collective::persist);
  existing_.erase(array);
}

std::unordered_set<std::uint64_t> Interpreter::blocks_on_servers(std::int32_t array) {
  std::unordered_set<std::uint64_t> all;
  for (const auto& answer : transport_.ask_all(wire::ListBlocks{0, array, ""})) {
    const auto& numbers = std::get<wire::BlockList>(answer).numbers;
    all.insert(numbers.begin(), numbers.end());
  }
  return all;
}

bool Interpreter::exists(std::int32_t selector) {
  const Place place = blocks_.locate(program_.selectors[static_cast<std::size_t>(selector)]);
  auto found = existing_.find(place.id.array);
  if (found == existing_.end()) {
    transport_.settle();
    found = existing_.emplace(place.id.array, blocks_on_servers(place.id.array)).first;
  }
  return found->second.contains(place.id.number);
}

void Interpreter::put(const Instruction& instruction) {
  const Place place = blocks_.locate(program_.selectors[static_cast<std::size_t>(instruction.a)]);
  if (!place.is_whole)
    throw Error(Errc::bad_input,
                "a put writes whole blocks: insert the slice into a block and put that");
  if (prefetcher_.is_on()) blocks_.cache().drop_early(place.id);
  const ElementType type = program_.arrays[static_cast<std::size_t>(place.id.array)].type;
  if (instruction.opcode == program::Opcode::put_scalar) {
    transport_.put_scalar(place.id, wire_mode(instruction.b), pop_number(),
                          place.block_shape.element_count(), type);
  } else {
    const auto bytes =
        static_cast<std::size_t>(place.block_shape.element_count()) * array::bytes_of(type);
    Sending sending{transport_.reads_devices(place.id, bytes), nullptr};
    block::SharedFrame frame = blocks_.share(
        instruction.b, transport_.sends_as_it_comes(place.id, bytes) ? &sending : nullptr);
    if (frame->size() != bytes)
      throw Error(Errc::bad_input,
                  fmt::format("put to block {} of {} elements: the right side has {}",
                              naming_.block(place.id), place.block_shape.element_count(),
                              frame->size() / array::bytes_of(type)));
    std::shared_ptr<fabric::Source> source;
    if (sending.under_way)
      source = std::make_shared<DeviceSource>(*device_, std::move(sending.under_way));
    transport_.put(place.id, wire_mode(instruction.c), std::move(frame), type, std::move(source));
  }
  if (const auto known = existing_.find(place.id.array); known != existing_.end())
    known->second.insert(place.id.number);
}

void Interpreter::print_arguments(const Instruction& instruction) {
  for (std::int32_t k = 0; k < instruction.c; ++k) {
    const auto& argument = program_.arguments[static_cast<std::size_t>(instruction.b + k)];
    if (argument.kind != program::ArgumentKind::selector)
      throw Error(Errc::bad_input, "only blocks and static arrays can be printed so; use print");
    const auto& selected = program_.selectors[static_cast<std::size_t>(argument.id)];
    if (selected.form == program::SelectorForm::whole)
      printer_.array(selected.array, 0);
    else
      printer_.block(argument.id, 0);
  }
}

void Interpreter::run_special(const Instruction& instruction) {
  const auto& name = program_.specials[static_cast<std::size_t>(instruction.a)].name;
  if (name == "enable_all_rank_print" || name == "disable_all_rank_print") {
    printer_.let_all_print(name == "enable_all_rank_print");
  } else if (name == "print_block" || name == "print_block_and_index" ||
             name == "print_static_array") {
    print_arguments(instruction);
  } else if (name == "list_block_map") {
    printer_.text(
        fmt::format("worker {}: {} bytes of blocks", options_.worker, frames_.used_bytes()), 0);
  } else if (name == "list_blocks_with_number") {
    for (std::size_t array = 0; array < program_.arrays.size(); ++array)
      for (const array::BlockId& id : blocks_.own().made(static_cast<std::int32_t>(array)))
        printer_.text(fmt::format("{}: {}", naming_.block(id), id.number), 0);
  } else if (name == "get_and_print_mpi_rank") {
    printer_.text(fmt::format("mpi_rank = {}", options_.worker), 0);
  } else {
    if (arithmetic_.awaits_device()) look_for_device();
    supers_.execute(instruction.a, instruction.b, instruction.c, scalars_, ints_);
  }
}

}  // namespace blockyard::worker::detail
