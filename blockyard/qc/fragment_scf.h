// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "blockyard/qc/integrals.h"
#include "blockyard/qc/molecule.h"

namespace blockyard::qc {

/// Canonical orbitals of n functions; n*n coefficients, the functions fastest.
struct FragmentOrbitals {
  std::vector<double> coefficients;
  std::vector<double> energies;  ///< hartree, ascending
};

/// Restricted Hartree-Fock of some atoms of a molecule alone, a neutral closed shell: with their
/// electrons, nuclei and functions, until the orbital gradient is below 1e-10 hartree.
/// guess   n*n, a density to start from, both spins together
/// Cost: a table of n^4 integrals, n at most 60, and 200 iterations at most.
/// Throws Error{bad_input} if the atoms do not stand together or are no closed shell, if there are
/// too many functions, effective cores or linearly dependent functions, or without convergence.
[[nodiscard]] FragmentOrbitals fragment_scf(const Molecule& molecule, const AoBasis& basis,
                                            IntegralEngine& engine,
                                            std::span<const std::size_t> atoms,
                                            std::span<const double> guess);

/// The shells on some atoms of a molecule, which must stand together. Throws Error{bad_input}.
[[nodiscard]] ShellRange shells_of_atoms(const AoBasis& basis, std::span<const std::size_t> atoms);

}  // namespace blockyard::qc
