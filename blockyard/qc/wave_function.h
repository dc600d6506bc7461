// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "blockyard/qc/ao_basis.h"

/// Properties of a molecule from matrices over basis functions and orbitals. All of them are dense,
/// first index fastest; n is the number of functions of the basis.
namespace blockyard::qc {

/// Electrons of each atom by Mulliken's division,  sum over mu on A of  (D S)_mu,mu.
/// density, overlap: n * n, symmetric. Subtracted from Atom::charge they give the atomic charges;
/// of a difference of spin densities they are the unpaired electrons.
/// Source: Mulliken, J. Chem. Phys. 23, 1833 (1955).
[[nodiscard]] std::vector<double> mulliken_populations(const AoBasis& basis, std::size_t atoms,
                                                       std::span<const double> density,
                                                       std::span<const double> overlap);

/// c_p^T F c_p for each orbital p: its energy where the orbitals diagonalise F, hartree.
/// coefficients: n * orbitals; fock: n * n over basis functions, symmetric.
[[nodiscard]] std::vector<double> orbital_energies(std::span<const double> coefficients,
                                                   std::span<const double> fock, Extent functions);

/// How far singles are from zero, which one determinant far from the exact function needs.
struct SinglesDiagnostics {
  double t1 = 0;  ///< |t| / sqrt(N), N the number of correlated electrons
  double d1 = 0;  ///< largest singular value of t
  friend bool operator==(const SinglesDiagnostics&, const SinglesDiagnostics&) = default;
};

/// t1: virtuals * occupied singles amplitudes, of spatial orbitals of a closed shell (N = twice
/// `occupied`) or of spin orbitals (N = `occupied`; |t|^2 is halved, so that a closed shell has the
/// same value either way).
/// Sources: Lee, Taylor, Int. J. Quantum Chem. Symp. 23, 199 (1989); Janssen, Nielsen, Chem. Phys.
/// Lett. 290, 423 (1998).
[[nodiscard]] SinglesDiagnostics singles_diagnostics(std::span<const double> t1, Extent virtuals,
                                                     Extent occupied);

}  // namespace blockyard::qc
