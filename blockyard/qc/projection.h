// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "blockyard/qc/ao_basis.h"

namespace blockyard::qc {

/// Orbitals of one basis in another one, the nearest by least squares, orthonormal there:
///   C' = S^(-1) R C,   result = C' (C'^T S C')^(-1/2)
/// with the overlap S of the functions of `to`, and R of these with the functions of `from`.
/// from, to      bases of the molecule; functions of `from` are taken as on its atoms now
/// coefficients  from.function_count * orbitals, one orbital a column
/// Returns to.function_count * orbitals.
/// Cost: about 10 n^3 flops, n functions of `to`, and the Schwarz bounds of both bases.
/// Throws Error{bad_input} if one basis is spherical and the other Cartesian, or if `to` has too
/// few functions to tell the orbitals apart. Source: symmetric orthogonalisation, Loewdin, J. Chem.
/// Phys. 18, 365 (1950).
[[nodiscard]] std::vector<double> project_orbitals(const Molecule& molecule, const AoBasis& from,
                                                   const AoBasis& to,
                                                   std::span<const double> coefficients);

}  // namespace blockyard::qc
