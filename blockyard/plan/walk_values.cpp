// SPDX-License-Identifier: Apache-2.0
// The part of Walk that computes with numbers, known or not.
#include <fmt/format.h>

#include <cmath>

#include "blockyard/base/error.h"
#include "blockyard/plan/walk.h"
#include "blockyard/program/arithmetic.h"

namespace blockyard::plan {

using base::Errc;
using base::Error;
using program::holds;
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
    case Opcode::push_int:
      push({.i = instruction.a});
      return true;
    case Opcode::push_literal:
      push({.s = program_.literals[a]});
      return true;
    case Opcode::push_int_name:
      push(ints_[a]);
      return true;
    case Opcode::push_scalar:
      push(scalars_[a]);
      return true;
    case Opcode::push_index:
      if (index_values_[a] == worker::unbound)
        throw Error(Errc::bad_input, fmt::format("index '{}' has no value here: no loop over it "
                                                 "is open",
                                                 program_.indexes[a].name));
      push({.i = index_values_[a]});
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
  arithmetic(instruction);
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

void Walk::arithmetic(const Instruction& instruction) {
  Value right = pop();
  switch (instruction.opcode) {
    case Opcode::int_negate:
      right.i = of_ints(Opcode::int_negate, 0, right.i);
      return push(right);
    case Opcode::negate:
      right.s = -right.s;
      return push(right);
    case Opcode::square_root:
      right.s = std::sqrt(right.s);
      return push(right);
    case Opcode::absolute:
      right.s = std::fabs(right.s);
      return push(right);
    case Opcode::real_part:
    case Opcode::imaginary_part:
    case Opcode::conjugate:  // of what is not known
      right.is_known = false;
      return push(right);
    case Opcode::to_scalar:
      right.s = static_cast<double>(right.i);
      return push(right);
    case Opcode::to_int:
      if (right.is_known && std::fabs(right.s) < 9.2e18) right.i = std::llrint(right.s);
      return push(right);
    case Opcode::not_:
      right.b = !right.b;
      return push(right);
    default:
      break;
  }
  Value left = pop();
  const bool both_known = left.is_known && right.is_known;
  switch (instruction.opcode) {
    case Opcode::int_add:
    case Opcode::int_subtract:
    case Opcode::int_multiply:
      left.i = of_ints(instruction.opcode, left.i, right.i);
      break;
    case Opcode::int_divide:
      if (both_known) left.i = of_ints(Opcode::int_divide, left.i, right.i);
      break;
    case Opcode::add:
    case Opcode::subtract:
    case Opcode::multiply:
    case Opcode::divide:
    case Opcode::power:
      left.s = program::of_scalars(instruction.opcode, left.s, right.s);
      break;
    case Opcode::make_complex:
      return push({.is_known = false});
    case Opcode::compare_int:
      left.b = holds(instruction.a, left.i, right.i);
      break;
    case Opcode::compare:
      left.b = holds(instruction.a, left.s, right.s);
      break;
    case Opcode::and_:
      if ((left.is_known && !left.b) || (right.is_known && !right.b)) return push({.b = false});
      left.b = left.b && right.b;
      break;
    case Opcode::or_:
      if ((left.is_known && left.b) || (right.is_known && right.b)) return push({.b = true});
      left.b = left.b || right.b;
      break;
    default:
      base::require(false, "an opcode of numbers");
  }
  left.is_known = both_known;
  push(left);
}

}  // namespace blockyard::plan
