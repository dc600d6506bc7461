// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/qc/atomic_density.h"
#include "blockyard/qc/detail/atomic_problem.h"

namespace blockyard::qc::detail {

/// The densities of a free atom in its ground configuration, without its effective core, for one
/// component of each angular momentum, both spins together. Contractions must be sorted by angular
/// momentum. Throws Error{bad_input} if they cannot hold the electrons or 200 iterations do not
/// converge.
[[nodiscard]] RadialMatrices atomic_scf(const FreeAtom& atom,
                                        const std::vector<Contraction>& sorted);

}  // namespace blockyard::qc::detail
