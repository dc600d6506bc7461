// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>

namespace blockyard::ring {

/// Sums of doubles as 64-bit integers: the same bits in whatever order they are added. A
/// contribution x becomes the integer nearest to x 2^exponent.
///
/// The scale is agreed before: 62 - ceil(log2(contributions * bound)). Then no sum can pass 2^62,
/// and it is off by at most contributions / 2 units of 2^-exponent.
class ExactScale {
 public:
  /// contributions: the most added to one value; bound: none of them is larger.
  /// Throws Error{bad_input} if bound is not positive and finite.
  ExactScale(std::int64_t contributions, double bound);

  [[nodiscard]] double bound() const noexcept { return bound_; }
  [[nodiscard]] int exponent() const noexcept { return exponent_; }
  /// x 2^exponent: exact, as scale() is a power of two.
  [[nodiscard]] double scale() const noexcept { return scale_; }
  [[nodiscard]] std::int64_t integer_of(double x) const noexcept { return std::llrint(x * scale_); }
  [[nodiscard]] double value_of(std::int64_t sum) const noexcept {
    return static_cast<double>(sum) / scale_;
  }
  /// Replaces each sum by its value, in the same memory.
  void to_values(std::span<std::int64_t> sums) const noexcept;

 private:
  double bound_;
  int exponent_;
  double scale_;
};

/// Throws Error{bad_input}: a contribution is not within the bound; says what to set.
[[noreturn]] void refuse_contribution(double value, double bound, std::string_view option);

}  // namespace blockyard::ring
