// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "blockyard/tensor/detail/transform_steps.h"
#include "blockyard/tensor/shape.h"

namespace blockyard::tensor::detail {

/// How one operand of a contraction reaches the matrix kernel.
struct OperandSteps {
  bool packed = false;       // permuted through the workspace
  Extent offset = 0;         // of the packed copy in the workspace
  Extent element_count = 0;  // of the operand
  Extent row_stride = 1;     // of the matrix the kernel sees, after packing; one of the two
  Extent column_stride = 1;  // strides is 1 unless the matrix is a vector
  bool conjugate = false;    // still to be done by the kernel
  bool pack_conjugate = false;
  TransformSteps transform;  // pack of left and right, unpack of result
};

/// One loop around the matrix kernel: a batched index, or one that is not worth a permutation.
struct ContractLoop {
  Extent extent = 1;
  Extent left_stride = 0;
  Extent right_stride = 0;
  Extent result_stride = 0;
  bool summed = false;
};

/// The decisions of a ContractPlan. Matrices: left m x k, right k x n, result m x n.
struct ContractSteps {
  static constexpr std::size_t max_loops = 3 * Shape::max_order / 2;  // each name stands twice

  Extent m = 1;  // of the whole contraction
  Extent n = 1;
  Extent k = 1;
  Extent batch = 1;
  Extent call_m = 1;  // of one call of the kernel
  Extent call_n = 1;
  Extent call_k = 1;
  OperandSteps left;
  OperandSteps right;
  OperandSteps result;
  std::array<ContractLoop, max_loops> loops{};  // innermost first
  int loop_count = 0;
  Extent workspace_elements = 0;

  [[nodiscard]] int permutation_count() const noexcept {
    return static_cast<int>(left.packed) + static_cast<int>(right.packed) +
           static_cast<int>(result.packed);
  }
};

}  // namespace blockyard::tensor::detail
