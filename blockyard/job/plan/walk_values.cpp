// SPDX-License-Identifier: Apache-2.0
// The part of Walk that computes with numbers, known or not.
#include <fmt/format.h>

#include <cmath>

#include "blockyard/base/error.h"
#include "blockyard/job/plan/walk.h"

namespace blockyard::job {

using base::Errc;
using base::Error;
using program::Instruction;
using program::Mode;
using program::Opcode;
using program::Relation;

namespace {

template <class T>
bool holds(std::int32_t relation, T left, T right) {
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

/// Integers wrap around, as in the interpreter.
template <class Operation>
std::int64_t wrapped(std::int64_t left, std::int64_t right, const Operation& operation) {
  return static_cast<std::int64_t>(
      operation(static_cast<std::uint64_t>(left), static_cast<std::uint64_t>(right)));
}

}  // namespace

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
  if (instruction.opcode < Opcode::int_add || instruction.opcode > Opcode::not_) return false;
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
      to.i = wrapped(to.i, value.i, std::plus<>());
      to.s += value.s;
      break;
    case Mode::subtract:
      to.i = wrapped(to.i, value.i, std::minus<>());
      to.s -= value.s;
      break;
    case Mode::multiply:
      to.i = wrapped(to.i, value.i, std::multiplies<>());
      to.s *= value.s;
      break;
  }
  to.is_known = to.is_known && value.is_known;
}

void Walk::arithmetic(const Instruction& instruction) {
  Value right = pop();
  switch (instruction.opcode) {
    case Opcode::int_negate:
      right.i = wrapped(0, right.i, std::minus<>());
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
      left.i = wrapped(left.i, right.i, std::plus<>());
      break;
    case Opcode::int_subtract:
      left.i = wrapped(left.i, right.i, std::minus<>());
      break;
    case Opcode::int_multiply:
      left.i = wrapped(left.i, right.i, std::multiplies<>());
      break;
    case Opcode::int_divide:
      if (both_known && right.i == 0) throw Error(Errc::bad_input, "an integer is divided by zero");
      if (both_known)
        left.i = right.i == -1 ? wrapped(0, left.i, std::minus<>()) : left.i / right.i;
      break;
    case Opcode::add:
      left.s += right.s;
      break;
    case Opcode::subtract:
      left.s -= right.s;
      break;
    case Opcode::multiply:
      left.s *= right.s;
      break;
    case Opcode::divide:
      left.s /= right.s;
      break;
    case Opcode::power:
      left.s = std::pow(left.s, right.s);
      break;
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

}  // namespace blockyard::job
