// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/interpreter.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <utility>

#include "blockyard/base/bytes.h"
#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/worker/detail/checkpoint.h"

namespace blockyard::worker::detail {

using base::Errc;
using base::Error;
using program::Instruction;
using program::Mode;
using program::Opcode;

namespace {

/// Every 4096 instructions: some ten microseconds apart, at a cost that cannot be measured.
constexpr std::uint64_t look_around_mask = 0xfff;

}  // namespace

Interpreter::Interpreter(const Setting& setting, super::Table& supers,
                         std::function<void(std::string_view)> print, std::size_t number,
                         WorkerDevice& device)
    : setting_(setting),
      nest_(setting_.naming),
      variables_(setting_.naming, nest_.values()),
      blocks_(setting_.naming, nest_.values(), setting.here, setting.frames, setting.transport,
              setting.options.check),
      arithmetic_(setting.program(), blocks_, setting.options),
      supers_(setting_.naming, blocks_, supers, setting.environment, setting.options, device),
      device_(device, blocks_, arithmetic_, supers_, setting.options, number),
      loops_(
          setting_.naming, nest_, blocks_, setting.transport, setting.here, setting.options,
          [this](std::int32_t pc) { return where(pc); },
          [this](const Condition& condition) { return holds(condition); }),
      printer_(setting_, blocks_, variables_, std::move(print)),
      transfers_(setting_, blocks_, loops_, device_, variables_),
      persistence_(setting_, blocks_, transfers_, variables_),
      meter_(setting_, {blocks_, arithmetic_, supers_, loops_, transfers_, device_}, number) {
  setting.frames.on_shortage(
      [this] { return blocks_.statics().drop_copies() || blocks_.cache().evict_one(); },
      [this] { return blocks_.cache().evict_used(); });
  setting.transport.set_naming(&setting_.naming);
}

Interpreter::~Interpreter() {
  setting_.transport.set_naming(nullptr);
  setting_.frames.on_shortage(nullptr);
}

Outcome Interpreter::run(RecordSource* from) {
  meter_.begin_program();
  try {
    std::int32_t begin = 0;
    if (from != nullptr) {
      begin = load(*from);
    } else {
      for (const std::string& warning : persistence_.take_predefined()) printer_.text(warning, 0);
      blocks_.open_scope();
    }
    transfers_.begin_epoch(begin);
    meter_.restart();
    execute(begin);
    blocks_.close_scope();
    persistence_.end_program();
  } catch (const PlacedError&) {
    throw;
  } catch (const Error& error) {
    if (error.code() == Errc::comm) throw;
    throw PlacedError(error.code(), fmt::format("{}: {}{}", setting_.naming.place(setting_.here.pc),
                                                error.what(), circumstances()));
  }
  meter_.end_program();
  return outcome();
}

Outcome Interpreter::outcome() {
  Outcome result = persistence_.outcome();
  result.metrics = meter_.metrics();
  if (result.metrics.device.failures > 0)
    result.warnings.push_back(fmt::format("worker {} continues without device {}: {}",
                                          setting_.options.worker, device_.number(),
                                          device_.residency()->failure()));
  return result;
}

std::string Interpreter::circumstances() const {
  constexpr std::size_t most_calls = 4;
  std::string text;
  for (std::size_t k = 0; k < nest_.values().size(); ++k)
    if (nest_.values()[k] != unbound)
      text += fmt::format("{}{} = {}", text.empty() ? "\n  where " : ", ",
                          setting_.program().indexes[k].name, nest_.values()[k]);
  const std::vector<std::int32_t>& calls = variables_.calls();
  for (std::size_t k = 0; k < calls.size() && k < most_calls; ++k)
    text += fmt::format("\n  called at {}", setting_.naming.place(calls[calls.size() - 1 - k] - 1));
  if (calls.size() > most_calls)
    text += fmt::format("\n  and {} more calls", calls.size() - most_calls);
  return text;
}

bool Interpreter::where(std::int32_t pc) {
  const std::int32_t outer = setting_.here.pc;
  execute(pc);
  setting_.here.pc = outer;
  return variables_.values().pop_truth();
}

bool Interpreter::holds(const Condition& condition) {
  const std::int32_t outer = setting_.here.pc;
  for (std::int32_t pc = condition.first; pc < condition.end; ++pc) {
    const Instruction& instruction = setting_.program().code[static_cast<std::size_t>(pc)];
    setting_.here.pc = pc;
    if (!variables_.evaluate(instruction)) act(instruction);
  }
  setting_.here.pc = outer;
  return variables_.values().pop_truth();
}

/// The dispatch loop. Ends at halt, and at where_end with the truth on the stack.
void Interpreter::execute(std::int32_t pc) {
  const Instruction* const code = setting_.program().code.data();
  wire::Access& here = setting_.here;
  while (true) {
    const Instruction& instruction = code[pc];
    here.pc = pc++;
    // A loop without communication must notice the end of the run as well.
    if ((meter_.count_instruction() & look_around_mask) == 0) setting_.transport.look_around();
    switch (instruction.opcode) {
      case Opcode::halt:
      case Opcode::where_end:
        return;
      case Opcode::stop:
        throw Error(Errc::bad_input, "the program stopped the job (stop)");
      case Opcode::jump:
        pc = instruction.a;
        break;
      case Opcode::jump_if_false:
        if (!variables_.values().pop_truth()) pc = instruction.a;
        break;
      case Opcode::call:
        variables_.call(pc);
        pc = instruction.a;
        break;
      case Opcode::return_:
        pc = variables_.end_call();
        break;
      case Opcode::do_begin:
        if (!loops_.begin_do(instruction.a)) pc = instruction.b;
        break;
      case Opcode::do_next:
        if (loops_.next_do()) pc = instruction.b;
        break;
      case Opcode::do_leave:
        loops_.leave_do();
        break;
      case Opcode::pardo_begin:
        meter_.begin_pardo();
        pc = loops_.begin_pardo(instruction.a) ? begin_iteration(instruction.a) : instruction.b;
        if (!loops_.is_in_pardo()) meter_.end_pardo(instruction.a);
        break;
      case Opcode::pardo_next:
        if (loops_.next_pardo())
          pc = begin_iteration(instruction.a);
        else
          meter_.end_pardo(instruction.a);
        break;
      case Opcode::pardo_leave:
        loops_.leave_pardo();
        meter_.end_pardo(instruction.a);
        break;
      default:
        if (variables_.evaluate(instruction)) break;
        if (meter_.times_instructions())
          meter_.time([&] { act(instruction); });
        else
          act(instruction);
    }
  }
}

/// pc of the body.
std::int32_t Interpreter::begin_iteration(std::int32_t pardo) {
  const std::int32_t body = setting_.program().pardos[static_cast<std::size_t>(pardo)].body;
  transfers_.begin_iteration(body);
  meter_.restart();
  return body;
}

void Interpreter::act(const Instruction& instruction) {
  const std::int32_t a = instruction.a;
  const std::int32_t b = instruction.b;
  const bool accumulates = (instruction.c & program::flag_accumulate) != 0;
  Expressions& values = variables_.values();
  switch (instruction.opcode) {
    case Opcode::push_block:
      return values.push(arithmetic_.element(a));
    case Opcode::push_product:
      device_.look();
      return values.push(arithmetic_.contract_all(a));
    case Opcode::exists:
      return values.push_truth(transfers_.exists(a));
    case Opcode::section_begin:
    case Opcode::create_array:
      return;
    case Opcode::gpu_begin:
    case Opcode::gpu_end:
      return device_.hint(instruction.opcode == Opcode::gpu_begin);
    case Opcode::block_fill:
      return arithmetic_.fill(a, static_cast<Mode>(b), values.pop_number());
    case Opcode::block_copy:
      return arithmetic_.copy(a, b, accumulates, variables_.pop_factor(instruction.c));
    case Opcode::block_product:
      device_.look();
      return arithmetic_.product(a, b, accumulates, variables_.pop_factor(instruction.c));
    case Opcode::allocate:
      return blocks_.allocate(a);
    case Opcode::deallocate:
      return blocks_.deallocate(a);
    case Opcode::bind_region:
    case Opcode::allocate_region:
    case Opcode::deallocate_region:
      return act_on_regions(instruction);
    case Opcode::get:
      return transfers_.get(a);
    case Opcode::put:
    case Opcode::put_scalar:
      return transfers_.put(instruction);
    case Opcode::execute:
      if (printer_.execute(instruction)) return;
      device_.look();
      return supers_.execute(a, b, instruction.c, variables_.scalars(), variables_.ints());
    case Opcode::print_text:
    case Opcode::print_int_name:
    case Opcode::print_scalar:
    case Opcode::print_index:
    case Opcode::print_int:
    case Opcode::print_value:
    case Opcode::print_block:
    case Opcode::print_array:
      return printer_.print(instruction);
    default:
      act_together(instruction);
  }
}

void Interpreter::act_on_regions(const Instruction& instruction) {
  const std::int32_t a = instruction.a;
  Regions& regions = blocks_.regions();
  if (instruction.opcode == Opcode::allocate_region) return regions.allocate(a);
  if (instruction.opcode == Opcode::deallocate_region) return regions.deallocate(a);
  std::array<std::int64_t, 2 * array::max_order> bounds{};
  std::size_t count = 0;
  for (const std::int32_t index : setting_.selector(a).indexes)
    if (index < 0) count += 2;
  for (std::size_t k = count; k-- > 0;) bounds[k] = variables_.values().pop_int();
  regions.bind(a, {bounds.data(), count});
}

/// What all workers do together, or what outlives the program.
void Interpreter::act_together(const Instruction& instruction) {
  const std::int32_t a = instruction.a;
  const std::int32_t b = instruction.b;
  switch (instruction.opcode) {
    case Opcode::section_end:
    case Opcode::barrier:
      return barrier();
    case Opcode::delete_array:
      return transfers_.delete_array(a);
    case Opcode::collective_sum:
      variables_.scalar(a) += setting_.transport.sum(variables_.values().pop_number());
      return;
    case Opcode::assert_same:
      return assert_same(a);
    case Opcode::broadcast:
      return broadcast(a, variables_.values().pop_int());
    case Opcode::persist_array:
      return persistence_.mark_array(a, b);
    case Opcode::persist_scalar:
      return persistence_.mark_scalar(a, b);
    case Opcode::restore_array:
      return persistence_.restore_array(a, setting_.text(b));
    case Opcode::restore_scalar:
      return persistence_.restore_scalar(a, setting_.text(b));
    default:
      base::require(false, "every opcode has its case");
  }
}

void Interpreter::barrier() {
  transfers_.end_epoch();
  const Wish wish = meet_with_wish(setting_.transport, setting_.options, Collective::barrier,
                                   !loops_.is_in_pardo());
  ++setting_.here.epoch;
  loops_.restart_dealing();
  if (wish != Wish::none) {
    const double begin = base::now_seconds();
    detail::save(setting_.transport, setting_.options, wish, setting_.kept, setting_.environment,
                 [this](RecordSink& sink) { save(sink); });
    meter_.add_checkpoint(base::now_seconds() - begin);
  }
  meter_.show_live();
  transfers_.begin_epoch(setting_.here.pc + 1);
}

/// Worker 0 sees the values of all, so that each is compared with its own.
void Interpreter::assert_same(std::int32_t scalar) {
  constexpr double tolerance = 5e-5;  // relative, as in ACES4
  base::ByteWriter mine;
  Number& value = variables_.scalar(scalar);
  const auto& decl = setting_.program().scalars[static_cast<std::size_t>(scalar)];
  mine.value(value);
  const auto join = [](std::span<Collected> parts) {
    base::ByteWriter all;
    for (const Collected& part : parts) all.raw(part.bytes());
    return Collected(all.take());
  };
  const auto compare = [&](Collected all) {
    base::ByteReader values(all.bytes());
    const auto first = values.value<Number>();
    for (int worker = 1; values.left() > 0; ++worker) {
      const auto other = values.value<Number>();
      // Infinite on all of them, or not a number: their difference tells nothing.
      const bool is_equal = std::memcmp(&other, &first, sizeof(first)) == 0;
      if (!is_equal &&
          !(std::abs(other - first) <= tolerance * std::fmax(std::abs(first), std::abs(other))))
        throw Error(
            Errc::bad_input,
            fmt::format("assert_same: {} = {} on worker 0 and {} on worker {}", decl.name,
                        text_of(first, decl.is_complex), text_of(other, decl.is_complex), worker));
    }
    base::ByteWriter same;
    same.value(first);
    return Collected(same.take());
  };
  const auto result =
      setting_.transport.collect(Collective::assert_same, mine.take(), {join, compare});
  value = base::ByteReader(result.bytes()).value<Number>();
}

void Interpreter::broadcast(std::int32_t array, std::int64_t worker) {
  const Options& options = setting_.options;
  if (worker < 0 || worker >= options.workers)
    throw Error(Errc::bad_input,
                fmt::format("broadcast_from: no worker {}; there are {}", worker, options.workers));
  if (setting_.grid(array).element_count() == 0) return;
  const View whole = blocks_.whole(array);
  const std::span<std::byte> values(whole.data, whole.bytes());
  std::vector<std::byte> mine;
  if (options.worker == worker) mine.assign(values.begin(), values.end());
  const auto result =
      setting_.transport.collect(Collective::broadcast, std::move(mine), {join_the_only});
  if (result.bytes().size() != values.size())
    throw Error(Errc::bad_input, "broadcast_from: workers name different workers or arrays");
  std::memcpy(values.data(), result.bytes().data(), values.size());
}

void Interpreter::save(RecordSink& sink) const {
  ProgramState state;
  state.pc = setting_.here.pc + 1;
  state.epoch = setting_.here.epoch;
  state.do_all_print = printer_.do_all_print();
  base::require(variables_.is_between_statements(), "a barrier is a statement");
  state.calls = variables_.calls();
  state.ints = variables_.ints();
  state.scalars = variables_.scalars();
  persistence_.save(state);
  loops_.save(state);
  const auto frames = blocks_.save(state);
  sink.add(encode(state));
  for (const block::SharedFrame& frame : frames) sink.add(frame->bytes());
}

std::int32_t Interpreter::load(RecordSource& source) {
  const ProgramState state = decode_program_state(source.next());
  if (!variables_.restore(state.ints, state.scalars, state.calls) || state.pc < 0 ||
      static_cast<std::size_t>(state.pc) >= setting_.program().code.size())
    refuse_state();
  setting_.here.epoch = state.epoch;
  printer_.let_all_print(state.do_all_print != 0);
  persistence_.load(state);
  loops_.load(state);
  blocks_.load(state, source);
  return state.pc;
}

}  // namespace blockyard::worker::detail
