// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>

#include "blockyard/tensor/detail/panel_kernels.h"
#include "blockyard/tensor/shape.h"

namespace blockyard::tensor::detail {

// Rough costs in nanoseconds for f64 on one core with AVX-512, measured with bench/contract. Only
// their order decides, so that what a plan does depends on the shapes alone and gives the same bits
// everywhere. What all plans do alike (bringing operands from memory) is left out.

/// Products up to these many multiply-adds go to our own kernel for small ones, not to the BLAS;
/// with the left matrix stored by rows the BLAS is slow for longer.
inline constexpr Extent small_product = 16384;
inline constexpr Extent small_turned_product = Extent{1} << 20;
inline constexpr Extent small_turned_depth = 64;

/// Columns of a left matrix a multiple of this apart share few places of the first cache.
inline constexpr Extent bad_distance = 128;

/// Larger products go there too if the operands fit the second cache and, of all that is used
/// again, either the right matrix or the rows of a tile stay in the first: packing would then cost
/// nearly as much as the product.
[[nodiscard]] inline bool is_narrow(Extent m, Extent n, Extent k) noexcept {
  constexpr Extent depth = 64, tile_rows = 24, in_first = 4096, in_second = Extent{128} << 10;
  return k <= depth && (m + n) * k <= in_second &&
         (m <= tile_rows || (n * k <= in_first && m % bad_distance != 0));
}

/// An operand that is copied into panels: in runs of its own order, or turned.
inline constexpr double pack_straight = 0.3;
inline constexpr double pack_turned = 0.6;

/// One read and one write for each element, and one more read and write for a result: the matrix
/// kernel writes the packed copy first.
[[nodiscard]] inline double packing_cost(Extent elements, bool is_result) noexcept {
  constexpr double move = 0.8;
  return static_cast<double>(elements) * (is_result ? 1.5 * move : move) + 50.0;
}

[[nodiscard]] inline double padded(Extent length, Extent unit) noexcept {
  return static_cast<double>((length + unit - 1) / unit * unit);
}

/// One call of the matrix kernel. `is_turned`: the left matrix is stored by rows.
[[nodiscard]] inline double kernel_cost(Extent m, Extent n, Extent k, bool is_turned) noexcept {
  const auto rows = static_cast<double>(m), columns = static_cast<double>(n);
  const auto depth = static_cast<double>(k);
  const Extent products = m * n * k;
  if (products <= small_product || (!is_turned && is_narrow(m, n, k)) ||
      (is_turned && products <= small_turned_product && k <= small_turned_depth))
    return 40.0 + padded(m, 8) * std::max(columns, 4.0) * (depth + 4) / 30.0 +
           (is_turned ? pack_turned * rows * depth : 0.0);
  return 150.0 + (rows + 8) * (columns + 8) * (depth + 8) / 37.0 +
         pack_straight * (rows + columns) * depth;
}

/// Products of many small matrices side by side: both operands of as many as a vector has lanes
/// must stay in the first cache.
[[nodiscard]] inline double batch_cost(Extent m, Extent n, Extent k, Extent count) noexcept {
  if (m * k + k * n > batch_vectors) return std::numeric_limits<double>::infinity();
  const auto elements = static_cast<double>(m * k + k * n + m * n);
  return 60.0 + padded(count, 8) * (static_cast<double>(m * n * k) / 16.0 + 0.3 * elements);
}

/// A packed product of everything.
[[nodiscard]] inline double packed_cost(Extent m, Extent n, Extent k, double pack_left,
                                        double pack_right) noexcept {
  const auto rows = static_cast<double>(m), columns = static_cast<double>(n);
  const auto depth = static_cast<double>(k);
  return 250.0 + padded(m, 8) * columns * (depth + 8) / 38.0 +
         (pack_left * rows + pack_right * columns) * depth;
}

}  // namespace blockyard::tensor::detail
