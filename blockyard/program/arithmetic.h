// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>

#include "blockyard/base/error.h"
#include "blockyard/program/program.h"

namespace blockyard::program {

// The results of numeric opcodes, for running a program and for predicting it.

/// int_add to int_negate (of `right`). Integers wrap around, as in the machine.
/// Throws Error{bad_input} for a division by zero.
inline std::int64_t of_ints(Opcode opcode, std::int64_t left, std::int64_t right) {
  const auto l = static_cast<std::uint64_t>(left);
  const auto r = static_cast<std::uint64_t>(right);
  switch (opcode) {
    case Opcode::int_add:
      return static_cast<std::int64_t>(l + r);
    case Opcode::int_subtract:
      return static_cast<std::int64_t>(l - r);
    case Opcode::int_multiply:
      return static_cast<std::int64_t>(l * r);
    case Opcode::int_divide:
      if (right == 0) throw base::Error(base::Errc::bad_input, "an integer is divided by zero");
      return right == -1 ? static_cast<std::int64_t>(0 - l) : left / right;
    case Opcode::int_negate:
      return static_cast<std::int64_t>(0 - r);
    default:
      base::require(false, "an opcode of integers");
      return 0;
  }
}

/// Why there is no left ** right.
inline std::string no_power(double left, double right) {
  return fmt::format(
      "{} ** {}: a negative number has only whole powers; complex(x, 0.0) has others", left, right);
}
inline std::string no_power(std::complex<double> left, std::complex<double> right) {
  return fmt::format("complex({}, {}) ** complex({}, {}) has no value", left.real(), left.imag(),
                     right.real(), right.imag());
}

/// left ** right, the principal value. Of a complex number, a small whole power is a product:
/// exactly real where it should be, and 1 for the power 0 also of 0.
/// Throws Error{bad_input} if finite numbers have no power: -1 ** 0.5 among real numbers, 0 ** i.
/// One that is too large, 0 ** -1 too, is infinite as a quotient is.
template <class T>
T power_of(T left, T right) {
  constexpr double most = 64;
  if constexpr (!std::is_floating_point_v<T>)
    if (right.imag() == 0 && std::abs(right.real()) <= most &&
        right.real() == std::trunc(right.real())) {
      T product = 1, factor = left;
      for (auto left_over = static_cast<int>(std::abs(right.real())); left_over > 0;
           left_over /= 2, factor *= factor)
        if (left_over % 2 == 1) product *= factor;
      return right.real() < 0 ? T(1) / product : product;
    }
  const T result = std::pow(left, right);
  if (!std::isnan(std::abs(result)) || !std::isfinite(std::abs(left)) ||
      !std::isfinite(std::abs(right)))
    return result;
  throw base::Error(base::Errc::bad_input, no_power(left, right));
}

/// add to divide, and power: of real or complex numbers.
template <class T>
T of_scalars(Opcode opcode, T left, T right) {
  switch (opcode) {
    case Opcode::add:
      return left + right;
    case Opcode::subtract:
      return left - right;
    case Opcode::multiply:
      return left * right;
    case Opcode::divide:
      return left / right;
    case Opcode::power:
      return power_of(left, right);
    default:
      base::require(false, "an opcode of two scalars");
      return 0;
  }
}

/// Whether `left` stands in the Relation to `right` that compare and compare_int have as operand.
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

}  // namespace blockyard::program
