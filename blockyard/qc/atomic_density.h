// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "blockyard/qc/ao_basis.h"
#include "blockyard/qc/molecule.h"

namespace blockyard::qc {

/// A neutral atom; `core` null: with all its electrons.
struct FreeAtom {
  int atomic_number = 0;
  const EffectiveCore* core = nullptr;
  [[nodiscard]] int core_electrons() const { return core == nullptr ? 0 : core->electrons; }
};

/// Density of one free atom in its own basis, spherically averaged: a Hartree-Fock calculation
/// with the electrons of each angular momentum spread evenly over its components and spins.
///   D(a,b) = sum over orbitals i of  n_i C(a,i) C(b,i)
/// Returns n*n values, first index fastest, in the order of place_basis. The trace of D S is the
/// number of electrons. Throws Error{bad_input} if the basis cannot hold them, or if 200
/// iterations do not converge.
/// Source: J. H. Van Lenthe et al., J. Comput. Chem. 27, 926 (2006).
[[nodiscard]] std::vector<double> atomic_density(const FreeAtom& atom,
                                                 const std::vector<Contraction>& contractions,
                                                 bool spherical);

/// The superposition of atomic densities: a first guess of the density of the molecule, both spins
/// together. Block-diagonal by atoms, n*n values, first index fastest. It has as many electrons as
/// the neutral atoms without their effective cores; ghosts have none. One atomic calculation for
/// each element and basis.
[[nodiscard]] std::vector<double> atomic_densities(const Molecule& molecule, const AoBasis& basis);

}  // namespace blockyard::qc
