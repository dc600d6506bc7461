// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/interpreter.h"

#include <fmt/format.h>

#include <utility>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"

namespace blockyard::worker::detail {

using base::Errc;
using base::Error;
using program::Instruction;
using program::Mode;
using program::Opcode;

namespace {

/// Every 4096 instructions: some ten microseconds apart, at a cost that cannot be measured.
constexpr std::uint64_t look_around_mask = 0xfff;

template <class T>
void store(T& variable, std::int32_t mode, T value) noexcept {
  switch (static_cast<Mode>(mode)) {
    case Mode::set:
      variable = value;
      return;
    case Mode::add:
      variable += value;
      return;
    case Mode::subtract:
      variable -= value;
      return;
    case Mode::multiply:
      variable *= value;
      return;
  }
}

}  // namespace

Interpreter::Interpreter(const program::Program& program, const Tables& tables,
                         Environment& environment, Kept& kept, Transport& transport,
                         wire::Access& here, block::FramePool& frames, super::Table& supers,
                         const Options& options, std::function<void(std::string_view)> print,
                         std::size_t number, WorkerDevice& device)
    : program_(program),
      tables_(tables),
      environment_(environment),
      kept_(kept),
      transport_(transport),
      here_(here),
      frames_(frames),
      options_(options),
      naming_{program, tables},
      nest_(naming_),
      blocks_(naming_, nest_.values(), here, frames, transport, options.check),
      arithmetic_(program, blocks_, options),
      worker_device_(device),
      number_(static_cast<std::uint16_t>(number)),
      loops_(
          naming_, nest_, blocks_, transport, here, options,
          [this](std::int32_t pc) { return where(pc); },
          [this](const Condition& condition) { return holds(condition); }),
      printer_(naming_, blocks_, std::move(print), options.worker == 0),
      supers_(naming_, blocks_, supers, environment, options, device),
      ints_(tables.ints),
      scalars_(tables.scalars),
      values_(naming_, nest_.values(), ints_, scalars_),
      prefetcher_(naming_, options, blocks_, loops_, ints_, scalars_, calls_),
      profile_(options.recording, program.code.size(), program.pardos.size(), number_),
      frames_before_(frames.uses()) {
  frames.on_shortage(
      [this] { return blocks_.statics().drop_copies() || blocks_.cache().evict_one(); });
  attach(device.look());
  transport.set_naming(&naming_);
}

Interpreter::~Interpreter() {
  transport_.set_naming(nullptr);
  frames_.on_shortage(nullptr);
}

/// Null: it may still come.
void Interpreter::attach(block::Residency* device) {
  arithmetic_.await_device(worker_device_.is_awaited());
  if (device == nullptr) return;
  device_ = device;
  device->note_program(number_);
  blocks_.attach(*device);
  arithmetic_.attach(*device);
  supers_.attach(*arithmetic_.device());
  blocks_.cache().on_leave([device](const block::SharedFrame& frame) { device->release(frame); });
}

void Interpreter::look_for_device() {
  worker_device_.note_work(arithmetic_.take_host_seconds() + supers_.take_host_seconds());
  attach(worker_device_.look());
}

/// gpu_on or gpu_off.
void Interpreter::hint(bool begins) {
  if (begins && options_.respects_hints && worker_device_.is_awaited())
    attach(worker_device_.open());
  arithmetic_.hint(begins);
}

Outcome Interpreter::run(RecordSource* from) {
  begin_seconds_ = base::now_seconds();
  try {
    std::int32_t begin = 0;
    if (from != nullptr) {
      begin = load(*from);
    } else {
      take_predefined();
      blocks_.open_scope();
    }
    if (prefetcher_.is_on()) prefetcher_.begin_epoch(begin);
    if (profile_.is_on()) profile_.restart();
    show_live();
    execute(begin);
    blocks_.close_scope();
    end_program();
  } catch (const PlacedError&) {
    throw;
  } catch (const Error& error) {
    if (error.code() == Errc::comm) throw;
    throw PlacedError(error.code(), fmt::format("{}: {}{}", naming_.place(here_.pc), error.what(),
                                                circumstances()));
  }
  show_live();
  if (profile_.is_on()) profile_.end_program(begin_seconds_);
  return outcome();
}

std::string Interpreter::circumstances() const {
  constexpr std::size_t most_calls = 4;
  std::string text;
  for (std::size_t k = 0; k < nest_.values().size(); ++k)
    if (nest_.values()[k] != unbound)
      text += fmt::format("{}{} = {}", text.empty() ? "\n  where " : ", ", program_.indexes[k].name,
                          nest_.values()[k]);
  for (std::size_t k = 0; k < calls_.size() && k < most_calls; ++k)
    text += fmt::format("\n  called at {}", naming_.place(calls_[calls_.size() - 1 - k] - 1));
  if (calls_.size() > most_calls)
    text += fmt::format("\n  and {} more calls", calls_.size() - most_calls);
  return text;
}

bool Interpreter::where(std::int32_t pc) {
  const std::int32_t outer = here_.pc;
  execute(pc);
  here_.pc = outer;
  return pop_truth();
}

bool Interpreter::holds(const Condition& condition) {
  const std::int32_t outer = here_.pc;
  for (std::int32_t pc = condition.first; pc < condition.end; ++pc) {
    const Instruction& instruction = program_.code[static_cast<std::size_t>(pc)];
    here_.pc = pc;
    if (!evaluate(instruction)) act(instruction);
  }
  here_.pc = outer;
  return pop_truth();
}

/// The dispatch loop. Ends at halt, and at where_end with the truth on the stack.
void Interpreter::execute(std::int32_t pc) {
  const Instruction* const code = program_.code.data();
  while (true) {
    const Instruction& instruction = code[pc];
    here_.pc = pc++;
    // A loop without communication must notice the end of the run as well.
    if ((++instructions_ & look_around_mask) == 0) transport_.look_around();
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
        if (!pop_truth()) pc = instruction.a;
        break;
      case Opcode::call:
        if (calls_.size() == program::max_calls)
          throw Error(Errc::bad_input,
                      fmt::format("more than {} calls are under way: endless recursion?",
                                  program::max_calls));
        calls_.push_back(pc);
        pc = instruction.a;
        break;
      case Opcode::return_:
        pc = calls_.back();
        calls_.pop_back();
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
        if (profile_.is_on()) profile_.begin_pardo(here_.pc, loops_.iterations(), waits());
        pc = loops_.begin_pardo(instruction.a) ? begin_iteration(instruction.a) : instruction.b;
        if (!loops_.is_in_pardo()) end_pardo(instruction.a);
        break;
      case Opcode::pardo_next:
        if (loops_.next_pardo())
          pc = begin_iteration(instruction.a);
        else
          end_pardo(instruction.a);
        break;
      case Opcode::pardo_leave:
        loops_.leave_pardo();
        end_pardo(instruction.a);
        break;
      default:
        if (evaluate(instruction)) break;
        if (profile_.is_on())
          act_and_note(instruction);
        else
          act(instruction);
    }
  }
}

/// pc of the body.
std::int32_t Interpreter::begin_iteration(std::int32_t pardo) {
  const std::int32_t body = program_.pardos[static_cast<std::size_t>(pardo)].body;
  prefetcher_.begin_iteration(body);
  if (profile_.is_on()) profile_.restart();
  show_live();
  return body;
}

void Interpreter::get(std::int32_t selector) {
  const array::BlockId id = blocks_.get(selector);
  if (!prefetcher_.is_on()) return;
  prefetcher_.passed(here_.pc, id);
  if (device_ != nullptr) copy_ahead();
}

/// Blocks of the next gets that have come go to the device, where it is going to read them.
void Interpreter::copy_ahead() {
  constexpr std::uint64_t gets_ahead = 4;
  DeviceArithmetic& device = *arithmetic_.device();
  transport_.look_around();
  prefetcher_.for_next(gets_ahead, [&](const array::BlockId& id) {
    if (!device.reads(id.array)) return;
    if (const block::SharedFrame frame = blocks_.cache().peek(id)) device.copy_ahead(frame);
  });
}

bool Interpreter::evaluate(const Instruction& instruction) {
  if (values_.evaluate(instruction)) return true;
  const auto a = static_cast<std::size_t>(instruction.a);
  switch (instruction.opcode) {
    case Opcode::store_int:
      store(ints_[a], instruction.b, pop_int());
      return true;
    case Opcode::store_scalar:
      store_scalar(instruction);
      return true;
    default:
      return false;
  }
}

/// A real one stays real: an infinite value times a zero imaginary part would be NaN.
void Interpreter::store_scalar(const Instruction& instruction) {
  const auto a = static_cast<std::size_t>(instruction.a);
  const Number value = pop_number();
  if (program_.scalars[a].is_complex) return store(scalars_[a], instruction.b, value);
  double real = scalars_[a].real();
  store(real, instruction.b, value.real());
  scalars_[a] = real;
}

Number Interpreter::factor_of(std::int32_t flags) {
  const Number factor = (flags & program::flag_scaled) != 0 ? pop_number() : 1.0;
  return (flags & program::flag_negate) != 0 ? -factor : factor;
}

void Interpreter::act(const Instruction& instruction) {
  const std::int32_t a = instruction.a;
  const std::int32_t b = instruction.b;
  const bool accumulates = (instruction.c & program::flag_accumulate) != 0;
  switch (instruction.opcode) {
    case Opcode::push_block:
      values_.push(arithmetic_.element(a));
      return;
    case Opcode::push_product:
      if (arithmetic_.awaits_device()) look_for_device();
      values_.push(arithmetic_.contract_all(a));
      return;
    case Opcode::exists:
      values_.push_truth(exists(a));
      return;
    case Opcode::section_begin:
    case Opcode::create_array:
      return;
    case Opcode::gpu_begin:
    case Opcode::gpu_end:
      hint(instruction.opcode == Opcode::gpu_begin);
      return;
    case Opcode::section_end:
    case Opcode::barrier:
      barrier();
      return;
    case Opcode::block_fill:
      arithmetic_.fill(a, static_cast<Mode>(b), pop_number());
      return;
    case Opcode::block_copy:
      arithmetic_.copy(a, b, accumulates, factor_of(instruction.c));
      return;
    case Opcode::block_product:
      if (arithmetic_.awaits_device()) look_for_device();
      arithmetic_.product(a, b, accumulates, factor_of(instruction.c));
      return;
    case Opcode::bind_region: {
      std::array<std::int64_t, 2 * array::max_order> bounds{};
      std::size_t count = 0;
      for (const std::int32_t index : program_.selectors[static_cast<std::size_t>(a)].indexes)
        if (index < 0) count += 2;
      for (std::size_t k = count; k-- > 0;) bounds[k] = pop_int();
      blocks_.regions().bind(a, {bounds.data(), count});
      return;
    }
    case Opcode::allocate:
      blocks_.allocate(a);
      return;
    case Opcode::deallocate:
      blocks_.deallocate(a);
      return;
    case Opcode::allocate_region:
      blocks_.regions().allocate(a);
      return;
    case Opcode::deallocate_region:
      blocks_.regions().deallocate(a);
      return;
    case Opcode::get:
      get(a);
      return;
    case Opcode::put:
    case Opcode::put_scalar:
      put(instruction);
      return;
    case Opcode::delete_array:
      delete_array(a);
      return;
    case Opcode::execute:
      run_special(instruction);
      return;
    case Opcode::collective_sum:
      scalars_[static_cast<std::size_t>(a)] += transport_.sum(pop_number());
      return;
    case Opcode::assert_same:
      assert_same(a);
      return;
    case Opcode::broadcast:
      broadcast(a, pop_int());
      return;
    case Opcode::persist_array:
      marked_arrays_.push_back({a, &program_.texts[static_cast<std::size_t>(b)]});
      return;
    case Opcode::persist_scalar:
      marked_scalars_.push_back({a, &program_.texts[static_cast<std::size_t>(b)]});
      return;
    case Opcode::restore_array:
      restore_array(a, program_.texts[static_cast<std::size_t>(b)]);
      return;
    case Opcode::restore_scalar:
      restore_scalar(a, program_.texts[static_cast<std::size_t>(b)]);
      return;
    default:
      print(instruction);
  }
}

void Interpreter::print(const Instruction& instruction) {
  const auto a = static_cast<std::size_t>(instruction.a);
  const std::int32_t newlines = instruction.b;
  switch (instruction.opcode) {
    case Opcode::print_text:
      printer_.text(program_.texts[a], newlines);
      return;
    case Opcode::print_int_name:
      printer_.named(program_.ints[a].name, ints_[a], newlines);
      return;
    case Opcode::print_scalar:
      printer_.named(program_.scalars[a].name, scalars_[a], program_.scalars[a].is_complex,
                     newlines);
      return;
    case Opcode::print_index:
      printer_.named(program_.indexes[a].name, nest_.values()[a], newlines);
      return;
    case Opcode::print_int:
      printer_.value(pop_int(), instruction.a);
      return;
    case Opcode::print_value:
      printer_.value(pop_number(), instruction.b != 0, instruction.a);
      return;
    case Opcode::print_block:
      printer_.block(instruction.a, newlines);
      return;
    case Opcode::print_array:
      printer_.array(instruction.a, newlines);
      return;
    default:
      base::require(false, "every opcode has its case");
  }
}

}  // namespace blockyard::worker::detail
