// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "blockyard/garray/matrix.h"

// Linear systems and eigenproblems of double precision, by LAPACK on the first rank of the group.
// All: collective among the group of `a`, with syncs between reading and writing. They throw
// Error{bad_input} for arrays that do not fit, and Error{no_memory} at all ranks alike if the first
// rank cannot hold the matrices.
namespace blockyard::garray {

/// b becomes the solution x of op(a) x = b.
void solve_lu(Runtime& runtime, bool is_transposed, const Array& a, const Array& b);
/// The same for a symmetric positive definite matrix. Returns 0, or the order of the first minor
/// that is not positive; b is unchanged then.
[[nodiscard]] int solve_cholesky(Runtime& runtime, const Array& a, const Array& b);
/// a becomes its inverse; it is symmetric positive definite. Returns as solve_cholesky.
[[nodiscard]] int invert(Runtime& runtime, const Array& a);
/// a v = s v diag(values), s null: the unit matrix. Values ascend and come to all ranks; vectors
/// are columns of v.
void diagonalize(Runtime& runtime, const Array& a, const Array* s, const Array& v, double* values);

}  // namespace blockyard::garray
