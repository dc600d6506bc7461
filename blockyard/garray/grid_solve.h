// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/garray/grid_solver.h"
#include "blockyard/garray/runtime.h"

// The functions of solve.h, by the runtime's GridSolver. Arguments are checked already.
namespace blockyard::garray {

/// Collective among the group of `a`.
[[nodiscard]] bool uses_grid(const Runtime& runtime, const Array& a);

[[nodiscard]] int grid_solve_lu(Runtime& runtime, bool is_transposed, const Array& a,
                                const Array& b);
[[nodiscard]] int grid_solve_cholesky(Runtime& runtime, const Array& a, const Array& b);
[[nodiscard]] int grid_invert(Runtime& runtime, const Array& a);
[[nodiscard]] int grid_diagonalize(Runtime& runtime, const Array& a, const Array* s, const Array& v,
                                   double* values);

}  // namespace blockyard::garray
