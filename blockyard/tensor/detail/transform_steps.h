// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>

#include "blockyard/tensor/detail/kernels.h"
#include "blockyard/tensor/element.h"
#include "blockyard/tensor/shape.h"

namespace blockyard::tensor::detail {

/// A permuted copy with its loops decided: extents of 1 are gone, neighbours that stay together
/// are one loop.
struct TransformSteps {
  using Loop = CopyLoop;
  enum class Kind {
    rows,       // loop 0 is contiguous in both; a kernel runs loops 0 and 1, which are always there
    transpose,  // a kernel transposes matrices of `rows` and `columns`, the loops are around it
    strided     // no loop is contiguous in both, none in one of them; loops 0 and 1 are there
  };
  using Side = MatrixSide;
  using Loops = std::array<Loop, Loop::most>;
  Loops loops{};
  int count = 2;
  Kind kind = Kind::rows;
  Extent elements = 1;
  Side rows;     // contiguous in `in`
  Side columns;  // contiguous in `out`
  /// Done in place of all that, if the kernel can: elements that stay together, the indexes of some
  /// first loops; the small group is where the other does not fit.
  struct Group {
    int extent = 0;  // 0: there is none
    int loops = 0;
  };
  Group group, small_group;
  std::int32_t turn_from[Turn::most];
  Loops loops_of_turn{};  // all, with one over nothing after them
  int loops_of_turn_count = 0;
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
