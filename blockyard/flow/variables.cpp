// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/variables.h"

#include <fmt/format.h>

#include "blockyard/base/error.h"

namespace blockyard::flow {

using program::Instruction;
using program::Mode;
using program::Opcode;

namespace {

template <class T>
void store_as(T& variable, std::int32_t mode, T value) noexcept {
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

bool Variables::store(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::store_int:
      store_as(ints_[static_cast<std::size_t>(instruction.a)], instruction.b, values_.pop_int());
      return true;
    case Opcode::store_scalar:
      store_scalar(instruction);
      return true;
    default:
      return false;
  }
}

/// A real one stays real: an infinite value times a zero imaginary part would be NaN.
void Variables::store_scalar(const Instruction& instruction) {
  const auto a = static_cast<std::size_t>(instruction.a);
  const Number value = values_.pop_number();
  if (naming_.program.scalars[a].is_complex) return store_as(scalars_[a], instruction.b, value);
  double real = scalars_[a].real();
  store_as(real, instruction.b, value.real());
  scalars_[a] = real;
}

Number Variables::pop_factor(std::int32_t flags) {
  const Number factor = (flags & program::flag_scaled) != 0 ? values_.pop_number() : 1.0;
  return (flags & program::flag_negate) != 0 ? -factor : factor;
}

void Variables::call(std::int32_t return_pc) {
  if (calls_.size() == program::max_calls)
    throw base::Error(
        base::Errc::bad_input,
        fmt::format("more than {} calls are under way: endless recursion?", program::max_calls));
  calls_.push_back(return_pc);
}

std::int32_t Variables::end_call() noexcept {
  const std::int32_t pc = calls_.back();
  calls_.pop_back();
  return pc;
}

bool Variables::restore(std::span<const std::int64_t> ints, std::span<const Number> scalars,
                        std::span<const std::int32_t> calls) {
  if (ints.size() != ints_.size() || scalars.size() != scalars_.size()) return false;
  ints_.assign(ints.begin(), ints.end());
  scalars_.assign(scalars.begin(), scalars.end());
  calls_.assign(calls.begin(), calls.end());
  return true;
}

}  // namespace blockyard::flow
