// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "blockyard/garray/matrix.h"

// Linear systems and eigenproblems of double precision, by the runtime's GridSolver on all ranks of
// the group, else by LAPACK on its first one. All: collective among the group of `a`, with syncs
// between reading and writing. They throw Error{bad_input} for arrays that do not fit, and
// Error{no_memory} at all ranks alike if there is too little.
namespace blockyard::garray {

enum class Solver : std::uint8_t { any, lapack };

/// b becomes the solution x of op(a) x = b.
void solve_lu(Runtime& runtime, bool is_transposed, const Array& a, const Array& b,
              Solver solver = Solver::any);
/// Solves with a symmetric positive definite matrix. Returns 0, or the order of the first minor
/// that is not positive; b is unchanged then.
[[nodiscard]] int solve_cholesky(Runtime& runtime, const Array& a, const Array& b);
/// a becomes its inverse; it is symmetric positive definite. Returns as solve_cholesky.
[[nodiscard]] int invert(Runtime& runtime, const Array& a);
/// a v = s v diag(values), s null: the unit matrix. Values ascend and come to all ranks; vectors
/// are columns of v.
void diagonalize(Runtime& runtime, const Array& a, const Array* s, const Array& v, double* values,
                 Solver solver = Solver::any);

}  // namespace blockyard::garray
