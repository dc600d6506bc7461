// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "blockyard/qc/basis_set.h"
#include "blockyard/qc/molecule.h"

namespace blockyard::qc {

/// A contraction on an atom: the functions first_function .. first_function + function_count - 1.
struct Shell {
  std::size_t atom = 0;
  Vector3 center_bohr{};
  Contraction contraction;
  Extent first_function = 0;
  Extent function_count = 0;
};

/// An effective core on an atom.
struct PlacedCore {
  std::size_t atom = 0;
  Vector3 center_bohr{};
  EffectiveCore core;
};

/// The atomic orbitals of a molecule: all shells of the first atom, then of the second, ...; and
/// the effective cores that go with them. Inside a shell, Cartesian functions run xx, xy, xz, yy,
/// yz, zz (x, y, z for p) and spherical ones (d and above) from m = -l to l.
struct AoBasis {
  std::vector<Shell> shells;
  bool spherical = true;
  Extent function_count = 0;
  std::vector<PlacedCore> cores = {};
};

/// The sets that an atom has its functions and its effective core from; `cores` null: it has none.
struct AtomSets {
  const BasisSet* functions = nullptr;
  const BasisSet* cores = nullptr;
};

/// Sets core_electrons of every atom, ghosts have none. `sets`: one for each atom.
void take_cores(std::span<const AtomSets> sets, Molecule& molecule);

/// Puts functions and effective cores on the atoms of the molecule, whose core_electrons are those
/// of the cores (take_cores).
/// Throws Error{bad_input} if a set lacks an element, or has shells beyond h.
[[nodiscard]] AoBasis place_basis(std::span<const AtomSets> sets, const Molecule& molecule,
                                  bool spherical);

/// A basis with one set for all atoms, without effective cores.
[[nodiscard]] AoBasis place_basis(const BasisSet& basis, const Molecule& molecule, bool spherical);

/// The same for functions that fit products of others: spherical, shells up to k (l = 7).
[[nodiscard]] AoBasis place_auxiliary(const BasisSet& basis, const Molecule& molecule);

/// 2 l + 1, or (l + 1)(l + 2) / 2 Cartesian ones.
[[nodiscard]] Extent shell_function_count(int angular_momentum, bool spherical);

}  // namespace blockyard::qc
