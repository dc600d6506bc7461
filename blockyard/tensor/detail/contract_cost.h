// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/tensor/shape.h"

namespace blockyard::tensor::detail {

// Rough costs in nanoseconds for f64 on one core with AVX-512. Only their order decides, and only
// where a plan can choose between a permutation and loops over smaller matrices.

/// One read and one write for each element, and one more read and write for a result: the matrix
/// kernel writes the packed copy first.
[[nodiscard]] inline double packing_cost(Extent elements, bool is_result) noexcept {
  constexpr double move = 0.8;
  return static_cast<double>(elements) * (is_result ? 1.5 * move : move) + 50.0;
}

/// One call of the matrix kernel: short lengths waste lanes and packing inside the BLAS.
[[nodiscard]] inline double kernel_cost(Extent m, Extent n, Extent k) noexcept {
  constexpr double multiply_add = 1.0 / 35.0;
  constexpr double call = 50.0;
  const auto lengthened = [](Extent length, double waste) {
    return static_cast<double>(length) + waste;
  };
  return call + multiply_add * lengthened(m, 8) * lengthened(n, 8) * lengthened(k, 8);
}

}  // namespace blockyard::tensor::detail
