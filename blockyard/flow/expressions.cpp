// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/expressions.h"

#include <fmt/format.h>

#include <cmath>

#include "blockyard/base/error.h"
#include "blockyard/flow/iterations.h"
#include "blockyard/program/arithmetic.h"

namespace blockyard::flow {

using base::Errc;
using base::Error;
using program::holds;
using program::Instruction;
using program::Opcode;

bool Expressions::knows(Opcode opcode) noexcept {
  const program::OperandKind named = program::row_of(opcode).operands[0];
  return program::is_expression(opcode) && named != program::OperandKind::selector &&
         named != program::OperandKind::product;
}

bool Expressions::evaluate(const Instruction& instruction) {
  const auto a = static_cast<std::size_t>(instruction.a);
  switch (instruction.opcode) {
    case Opcode::push_int:
      push(std::int64_t{instruction.a});
      return true;
    case Opcode::push_literal:
      push(Number(naming_.program.literals[a]));
      return true;
    case Opcode::push_int_name:
      push(ints_[a]);
      return true;
    case Opcode::push_scalar:
      push(scalars_[a]);
      return true;
    case Opcode::push_index:
      if (index_values_[a] == unbound)
        throw Error(Errc::bad_input,
                    fmt::format("index '{}' has no value here: no loop over it is open",
                                naming_.index(instruction.a)));
      push(index_values_[a]);
      return true;
    case Opcode::to_scalar:
      top_->s = static_cast<double>(top_->i);
      top_->imaginary = 0;
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
      const double right = pop_number().real();
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
    case Opcode::int_add:
    case Opcode::int_subtract:
    case Opcode::int_multiply:
    case Opcode::int_divide: {
      const std::int64_t right = pop_int();
      top_->i = program::of_ints(instruction.opcode, top_->i, right);
      return true;
    }
    case Opcode::int_negate:
      top_->i = program::of_ints(Opcode::int_negate, 0, top_->i);
      return true;
    case Opcode::add:
    case Opcode::subtract:
    case Opcode::multiply:
    case Opcode::divide:
    case Opcode::power:
    case Opcode::negate:
    case Opcode::square_root:
    case Opcode::absolute:
      instruction.a == 0 ? real_arithmetic(instruction.opcode)
                         : complex_arithmetic(instruction.opcode);
      return true;
    case Opcode::make_complex:
    case Opcode::real_part:
    case Opcode::imaginary_part:
    case Opcode::conjugate:
      complex_arithmetic(instruction.opcode);
      return true;
    default:
      return false;
  }
}

void Expressions::real_arithmetic(Opcode opcode) {
  switch (opcode) {
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
  const double right = (top_--)->s;
  top_->s = program::of_scalars(opcode, top_->s, right);
}

void Expressions::complex_arithmetic(Opcode opcode) {
  const Number right = pop_number();
  switch (opcode) {
    case Opcode::negate:
      return push(-right);
    case Opcode::square_root:
      return push(std::sqrt(right));
    case Opcode::absolute:
      return push(Number(std::abs(right)));
    case Opcode::make_complex:
      return push(Number(pop_number().real(), right.real()));
    case Opcode::real_part:
      return push(Number(right.real()));
    case Opcode::imaginary_part:
      return push(Number(right.imag()));
    case Opcode::conjugate:
      return push(std::conj(right));
    default:
      return push(program::of_scalars(opcode, pop_number(), right));
  }
}

}  // namespace blockyard::flow
