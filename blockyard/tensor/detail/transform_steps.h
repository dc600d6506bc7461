// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>

#include "blockyard/tensor/element.h"
#include "blockyard/tensor/shape.h"

namespace blockyard::tensor::detail {

/// A permuted copy with its loops decided: extents of 1 are gone, neighbours that stay together
/// are one loop. There are always at least two loops; a kernel runs the first two.
struct TransformSteps {
  struct Loop {
    Extent extent = 1;
    Extent in_stride = 1;
    Extent out_stride = 1;
  };
  enum class Kind {
    rows,       // loop 0 is contiguous in both
    transpose,  // loop 0 is contiguous in `in`, loop 1 in `out`
    strided     // neither
  };
  std::array<Loop, Shape::max_order> loops{};
  int count = 2;
  Kind kind = Kind::rows;
};

/// `to` must be a permutation: index k of `out` is index to[k] of `in`. No allocation.
[[nodiscard]] TransformSteps plan_transform(std::span<const Extent> in_extents,
                                            const Strides& in_strides, std::span<const int> to,
                                            const Strides& out_strides) noexcept;

/// out = alpha * in + beta * out over the loops; conjugates `in` first if asked.
template <Element T>
void run_transform(const TransformSteps& steps, T alpha, const T* in, T beta, T* out,
                   bool conjugate) noexcept;

}  // namespace blockyard::tensor::detail
