// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/interpreter.h"

#include <fmt/format.h>

#include <cmath>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"

namespace blockyard::worker::detail {

using base::Errc;
using base::Error;
using program::Instruction;
using program::Mode;
using program::Opcode;
using program::Relation;

namespace {

template <class T>
bool holds(std::int32_t relation, T left, T right) noexcept {
  switch (static_cast<Relation>(relation)) {
    case Relation::less:
      return left < right;
    case Relation::greater:
      return left > right;
    case Relation::less_equal:
      return left <= right;
    case Relation::greater_equal:
      return left >= right;
    case Relation::equal:
      return left == right;
    case Relation::not_equal:
      return left != right;
  }
  return false;
}

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

/// Integer arithmetic wraps around, as it does in the machine.
std::int64_t wrapped(std::uint64_t value) noexcept { return static_cast<std::int64_t>(value); }

}  // namespace

Interpreter::Interpreter(const program::Program& program, const Tables& tables,
                         Environment& environment, Kept& kept, Transport& transport,
                         block::FramePool& frames, super::Table& supers, const Options& options,
                         std::function<void(std::string_view)> print)
    : program_(program),
      tables_(tables),
      environment_(environment),
      kept_(kept),
      transport_(transport),
      frames_(frames),
      options_(options),
      naming_{program, tables},
      cache_(frames, transport),
      blocks_(naming_, frames, cache_, options.check),
      arithmetic_(program, blocks_, options.check),
      loops_(naming_, blocks_, transport, options, [this](std::int32_t pc) { return where(pc); }),
      printer_(naming_, blocks_, std::move(print), options.worker == 0),
      supers_(naming_, blocks_, supers, environment, options),
      ints_(tables.ints),
      scalars_(tables.scalars) {
  frames.on_shortage([this] { return cache_.evict_one(); });
  transport.set_naming(&naming_);
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
    execute(begin);
    blocks_.close_scope();
    end_program();
  } catch (const PlacedError&) {
    throw;
  } catch (const Error& error) {
    if (error.code() == Errc::comm) throw;
    throw PlacedError(error.code(), fmt::format("{}: {}", naming_.place(blocks_.pc), error.what()));
  }
  Outcome result = outcome();
  transport_.set_naming(nullptr);
  frames_.on_shortage(nullptr);
  return result;
}

bool Interpreter::where(std::int32_t pc) {
  const std::int32_t outer = blocks_.pc;
  execute(pc);
  blocks_.pc = outer;
  return pop_truth();
}

/// The dispatch loop. Ends at halt, and at where_end with the truth on the stack.
void Interpreter::execute(std::int32_t pc) {
  const Instruction* const code = program_.code.data();
  while (true) {
    const Instruction& instruction = code[pc];
    blocks_.pc = pc++;
    transport_.here.pc = blocks_.pc;
    ++instructions_;
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
        pc = loops_.begin_pardo(instruction.a)
                 ? program_.pardos[static_cast<std::size_t>(instruction.a)].body
                 : instruction.b;
        break;
      case Opcode::pardo_next:
        if (loops_.next_pardo()) pc = program_.pardos[static_cast<std::size_t>(instruction.a)].body;
        break;
      case Opcode::pardo_leave:
        loops_.leave_pardo();
        break;
      default:
        if (!evaluate(instruction)) act(instruction);
    }
  }
}

bool Interpreter::evaluate(const Instruction& instruction) {
  const auto a = static_cast<std::size_t>(instruction.a);
  switch (instruction.opcode) {
    case Opcode::push_int:
      push(std::int64_t{instruction.a});
      return true;
    case Opcode::push_literal:
      push(program_.literals[a]);
      return true;
    case Opcode::push_int_name:
      push(ints_[a]);
      return true;
    case Opcode::push_scalar:
      push(scalars_[a]);
      return true;
    case Opcode::push_index:
      if (blocks_.index_values[a] == unbound)
        throw Error(Errc::bad_input,
                    fmt::format("index '{}' has no value here: no loop over it is open",
                                naming_.index(instruction.a)));
      push(blocks_.index_values[a]);
      return true;
    case Opcode::push_block:
      push(arithmetic_.element(instruction.a));
      return true;
    case Opcode::push_product:
      push(arithmetic_.contract_all(instruction.a));
      return true;
    case Opcode::to_scalar:
      top_->s = static_cast<double>(top_->i);
      return true;
    case Opcode::to_int:
      if (!(std::fabs(top_->s) < 9.2e18))
        throw Error(Errc::bad_input, fmt::format("(int){} is outside of the integers", top_->s));
      top_->i = std::llrint(top_->s);
      return true;
    case Opcode::compare_int: {
      const std::int64_t right = pop_int();
      top_->b = holds(instruction.a, top_->i, right);
      return true;
    }
    case Opcode::compare: {
      const double right = pop_scalar();
      top_->b = holds(instruction.a, top_->s, right);
      return true;
    }
    case Opcode::and_: {
      const bool right = pop_truth();
      top_->b = top_->b && right;
      return true;
    }
    case Opcode::or_: {
      const bool right = pop_truth();
      top_->b = top_->b || right;
      return true;
    }
    case Opcode::not_:
      top_->b = !top_->b;
      return true;
    case Opcode::exists:
      push_truth(exists(instruction.a));
      return true;
    case Opcode::store_int:
      store(ints_[a], instruction.b, pop_int());
      return true;
    case Opcode::store_scalar:
      store(scalars_[a], instruction.b, pop_scalar());
      return true;
    default:
      break;
  }
  if (instruction.opcode < Opcode::int_add || instruction.opcode > Opcode::absolute) return false;
  arithmetic(instruction);
  return true;
}

void Interpreter::arithmetic(const Instruction& instruction) {
  const auto bits = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  switch (instruction.opcode) {
    case Opcode::int_negate:
      top_->i = wrapped(0 - bits(top_->i));
      return;
    case Opcode::negate:
      top_->s = -top_->s;
      return;
    case Opcode::square_root:
      if (top_->s < 0)
        throw Error(Errc::bad_input, fmt::format("sqrt of the negative number {}", top_->s));
      top_->s = std::sqrt(top_->s);
      return;
    case Opcode::absolute:
      top_->s = std::fabs(top_->s);
      return;
    default:
      break;
  }
  const Value right = *top_--;
  switch (instruction.opcode) {
    case Opcode::int_add:
      top_->i = wrapped(bits(top_->i) + bits(right.i));
      return;
    case Opcode::int_subtract:
      top_->i = wrapped(bits(top_->i) - bits(right.i));
      return;
    case Opcode::int_multiply:
      top_->i = wrapped(bits(top_->i) * bits(right.i));
      return;
    case Opcode::int_divide:
      if (right.i == 0) throw Error(Errc::bad_input, "an integer is divided by zero");
      top_->i = right.i == -1 ? wrapped(0 - bits(top_->i)) : top_->i / right.i;
      return;
    case Opcode::add:
      top_->s += right.s;
      return;
    case Opcode::subtract:
      top_->s -= right.s;
      return;
    case Opcode::multiply:
      top_->s *= right.s;
      return;
    case Opcode::divide:
      top_->s /= right.s;
      return;
    case Opcode::power:
      top_->s = std::pow(top_->s, right.s);
      return;
    default:
      base::require(false, "an arithmetic opcode");
  }
}

double Interpreter::factor_of(std::int32_t flags) {
  const double factor = (flags & program::flag_scaled) != 0 ? pop_scalar() : 1.0;
  return (flags & program::flag_negate) != 0 ? -factor : factor;
}

void Interpreter::act(const Instruction& instruction) {
  const std::int32_t a = instruction.a;
  const std::int32_t b = instruction.b;
  const bool accumulates = (instruction.c & program::flag_accumulate) != 0;
  switch (instruction.opcode) {
    case Opcode::section_begin:
    case Opcode::gpu_begin:
    case Opcode::gpu_end:
    case Opcode::create_array:
      return;
    case Opcode::section_end:
    case Opcode::barrier:
      barrier();
      return;
    case Opcode::block_fill:
      arithmetic_.fill(a, static_cast<Mode>(b), pop_scalar());
      return;
    case Opcode::block_copy:
      arithmetic_.copy(a, b, accumulates, factor_of(instruction.c));
      return;
    case Opcode::block_product:
      arithmetic_.product(a, b, accumulates, factor_of(instruction.c));
      return;
    case Opcode::bind_region: {
      std::array<std::int64_t, 2 * array::max_order> bounds{};
      std::size_t count = 0;
      for (const std::int32_t index : program_.selectors[static_cast<std::size_t>(a)].indexes)
        if (index < 0) count += 2;
      for (std::size_t k = count; k-- > 0;) bounds[k] = pop_int();
      blocks_.set_region_bounds(a, {bounds.data(), count});
      return;
    }
    case Opcode::allocate:
      blocks_.allocate(a);
      return;
    case Opcode::deallocate:
      blocks_.deallocate(a);
      return;
    case Opcode::allocate_region:
      blocks_.allocate_region(a);
      return;
    case Opcode::deallocate_region:
      blocks_.deallocate_region(a);
      return;
    case Opcode::get:
      blocks_.get(a);
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
      scalars_[static_cast<std::size_t>(a)] += transport_.sum(pop_scalar());
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
      printer_.named(program_.scalars[a].name, scalars_[a], newlines);
      return;
    case Opcode::print_index:
      printer_.named(program_.indexes[a].name, blocks_.index_values[a], newlines);
      return;
    case Opcode::print_int:
      printer_.value(pop_int(), instruction.a);
      return;
    case Opcode::print_value:
      printer_.value(pop_scalar(), instruction.a);
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
