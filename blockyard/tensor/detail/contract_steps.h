// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>

#include "blockyard/tensor/detail/packed_layout.h"
#include "blockyard/tensor/detail/transform_steps.h"
#include "blockyard/tensor/shape.h"

namespace blockyard::tensor::detail {

/// The three operands of a contraction, as places in arrays.
enum Side : std::size_t { left_side, right_side, result_side };

/// One index of a contraction. Its stride is 0 in the operand where it does not stand.
struct ContractIndex {
  Extent extent = 1;
  std::array<Extent, 3> stride{};  // by Side
};

/// All indexes with an extent above 1.
struct ContractIndexes {
  static constexpr std::size_t max_count = 3 * Shape::max_order / 2;  // each stands twice
  std::array<ContractIndex, max_count> item{};
  int count = 0;
};

/// How one operand reaches the matrix kernel: as it is, or permuted through the workspace.
struct OperandSteps {
  bool conjugate = false;    // while packing
  Extent offset = 0;         // of the packed copy in the workspace
  Extent row_stride = 1;     // of the matrix that the kernel sees; one of the two
  Extent column_stride = 1;  // strides is 1 unless the matrix is a vector
  // Packs left and right, unpacks result; null: the operand is used as it is. It is large, and
  // most operands have none. Copies of a plan share it.
  std::shared_ptr<const TransformSteps> packing;
};

/// One loop around the matrix kernel: a batched index, or one that is not worth a permutation.
struct ContractLoop {
  Extent extent = 1;
  std::array<Extent, 3> stride{};  // by Side
  bool summed = false;
};

/// The kernel that computes the m x k times k x n of one call.
/// `batch`: many small products side by side, for an index that is fastest in all operands.
enum class MatrixKernel { product, outer, dot, gemv_left, gemv_right, gemm, packed, batch };

/// The decisions of a ContractPlan. operand[left_side] is m x k and operand[right_side] k x n,
/// after the two changed places if `swapped`; the result's rows are then contiguous.
struct ContractSteps {
  Extent m = 1;  // of the whole contraction, as asked
  Extent n = 1;
  Extent k = 1;
  Extent batch = 1;
  MatrixKernel kernel = MatrixKernel::product;
  Extent call_m = 1;  // of one call of the kernel
  Extent call_n = 1;
  Extent call_k = 1;
  Extent call_batch = 1;  // of MatrixKernel::batch
  bool swapped = false;
  std::array<OperandSteps, 3> operand;                           // by Side
  std::array<ContractLoop, ContractIndexes::max_count> loops{};  // innermost first
  int loop_count = 0;
  PackedSteps packed;  // of MatrixKernel::packed, which permutes nothing beforehand
  Extent workspace_elements = 0;

  [[nodiscard]] int permutation_count() const noexcept {
    int count = 0;
    for (const OperandSteps& one : operand) count += static_cast<int>(one.packing != nullptr);
    return count;
  }
};

/// The machine's properties that choose_steps uses.
struct ContractTraits {
  bool conjugate_left = false;
  bool conjugate_right = false;
  bool is_real = true;  // the packed product is for real elements
  Extent element_bytes = 8;
};

/// Chooses what costs least: a packed product, or loops around calls of the BLAS and of our small
/// product, with an order of the indexes and operands to permute.
/// An operand that is to be conjugated is always permuted through the workspace.
/// Throws Error{bad_input} if a length does not fit the BLAS.
[[nodiscard]] ContractSteps choose_steps(const ContractIndexes& indexes,
                                         const ContractTraits& traits);

}  // namespace blockyard::tensor::detail
