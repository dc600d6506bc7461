// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "plugins/common/operation.h"

namespace blockyard::plugin {

/// A contraction as a batch of products of matrices, column-major:
/// result(m, n) = left(m, k) * right(k, n).
/// An operand whose indexes do not lie as a matrix is reordered into one first (`is_reordered`): as
/// dense (m, k, batch), (k, n, batch) or (m, n, batch), at `workspace_begin`.
struct MatrixForm {
  struct Operand {
    bool is_reordered = false;
    bool is_transposed = false;  ///< the matrix in memory has rows and columns exchanged
    std::int64_t leading = 1;    ///< elements from one column of the memory to the next
    std::int64_t batch_stride = 0;
    std::int64_t element_count = 1;
    std::int64_t workspace_begin = 0;  ///< elements
    /// Of a reordered one: its axes in the order of the dense matrix. Stride `of_result` is that in
    /// the matrix, stride `of_left` that in the block.
    Axes axes;
  };
  std::int64_t m = 1, n = 1, k = 1, batch = 1;
  std::array<Operand, 3> operand;  ///< by Side
  /// The memory of the result is the transposed matrix: multiply right^T * left^T instead.
  bool is_swapped = false;
  std::int64_t workspace_elements = 0;
};

/// The form that reorders the fewest elements: indexes of m, n and k may be taken in the order of
/// either operand they stand in. With `conjugates`, of left and right, an operand that is to be
/// conjugated and that the product does not also transpose is reordered (and conjugated on the
/// way).
[[nodiscard]] MatrixForm matrix_form(const Form& form, std::array<bool, 3> conjugates);

}  // namespace blockyard::plugin
