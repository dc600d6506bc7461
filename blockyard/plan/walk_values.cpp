// SPDX-License-Identifier: Apache-2.0
// The part of Walk that computes with numbers, known or not.
#include <algorithm>
#include <span>

#include "blockyard/plan/walk.h"
#include "blockyard/program/arithmetic.h"

namespace blockyard::plan {

using program::Instruction;
using program::Mode;
using program::of_ints;
using program::Opcode;

Walk::Value Walk::pop() {
  const Value value = stack_.back();
  stack_.pop_back();
  return value;
}

/// True if the instruction was one of numbers.
bool Walk::evaluate(const Instruction& instruction) {
  const auto a = static_cast<std::size_t>(instruction.a);
  switch (instruction.opcode) {
    case Opcode::push_int_name:
      push(ints_[a]);
      return true;
    case Opcode::push_scalar:
      push(scalars_[a]);
      return true;
    case Opcode::push_block:
      push(element(instruction.a));
      return true;
    case Opcode::push_product:
      product(-1, instruction.a);
      push({.is_known = false});
      return true;
    case Opcode::exists:
      (void)shape_of(instruction.a);
      push({.is_known = false});
      return true;
    case Opcode::store_int:
    case Opcode::store_scalar:
      store(instruction);
      return true;
    default:
      break;
  }
  if (!program::is_expression(instruction.opcode)) return false;
  compute(instruction);
  return true;
}

void Walk::store(const Instruction& instruction) {
  const Value value = pop();
  const auto a = static_cast<std::size_t>(instruction.a);
  Value& to = instruction.opcode == Opcode::store_int ? ints_[a] : scalars_[a];
  switch (static_cast<Mode>(instruction.b)) {
    case Mode::set:
      to = value;
      return;
    case Mode::add:
      to.i = of_ints(Opcode::int_add, to.i, value.i);
      to.s += value.s;
      break;
    case Mode::subtract:
      to.i = of_ints(Opcode::int_subtract, to.i, value.i);
      to.s -= value.s;
      break;
    case Mode::multiply:
      to.i = of_ints(Opcode::int_multiply, to.i, value.i);
      to.s *= value.s;
      break;
  }
  to.is_known = to.is_known && value.is_known;
}

/// What comes of known values is computed as a worker computes it; complex numbers are not known.
void Walk::compute(const Instruction& instruction) {
  const program::OpcodeRow& row = program::row_of(instruction.opcode);
  const auto operands = std::span(stack_).last(row.pops.size());
  Value result{.is_known = std::ranges::all_of(operands, &Value::is_known)};
  if (result.is_known) {
    calculator_.clear();
    for (std::size_t k = 0; k < operands.size(); ++k) give(row.pops[k], operands[k]);
    result = calculator_.evaluate(instruction) ? taken(row.pushes[0]) : Value{.is_known = false};
  } else if (instruction.opcode == Opcode::and_ || instruction.opcode == Opcode::or_) {
    const bool decides = instruction.opcode == Opcode::or_;
    for (const Value& operand : operands)
      if (operand.is_known && operand.b == decides) result = {.b = decides};
  }
  stack_.resize(stack_.size() - operands.size());
  push(result);
}

/// Puts an operand on the stack of the calculator: of the type that a row calls `letter`.
void Walk::give(char letter, const Value& value) {
  if (letter == 'i')
    calculator_.push(value.i);
  else if (letter == 'b')
    calculator_.push_truth(value.b);
  else
    calculator_.push(flow::Number(value.s));
}

Walk::Value Walk::taken(char letter) {
  switch (letter) {
    case 'i':
      return {.i = calculator_.pop_int()};
    case 'b':
      return {.b = calculator_.pop_truth()};
    case 'z':
      return {.is_known = false};
    default:
      return {.s = calculator_.pop_number().real()};
  }
}

}  // namespace blockyard::plan
