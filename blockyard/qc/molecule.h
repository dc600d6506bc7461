// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "blockyard/base/integer.h"

namespace blockyard::qc {

using base::Extent;
using Vector3 = std::array<double, 3>;

/// CODATA 2010, the value of PySCF and of our reference energies.
inline constexpr double angstrom_per_bohr = 0.52917721092;

struct Atom {
  int atomic_number = 0;
  Vector3 position_bohr{};
  int label = 0;           // the number written after its symbol: 1 of H1; 0: none
  int core_electrons = 0;  // those that an effective core potential stands for
  bool is_ghost = false;   // functions without nucleus and electrons
  /// Its contribution to potentials and to the number of electrons, e.
  [[nodiscard]] int charge() const noexcept {
    return is_ghost ? 0 : atomic_number - core_electrons;
  }
  friend bool operator==(const Atom&, const Atom&) = default;
};

struct Molecule {
  std::vector<Atom> atoms;
  int charge = 0;        // e
  int multiplicity = 1;  // 2 S + 1
  friend bool operator==(const Molecule&, const Molecule&) = default;
};

/// "O", "O1" with its label, "Gh(O)" of a ghost.
[[nodiscard]] std::string name_of(const Atom& atom);

/// Throws Error{bad_input} without an atom or an electron, if the multiplicity is impossible
/// with this number of electrons, or if two atoms are closer than 1e-6 bohr.
void check_molecule(const Molecule& molecule);

/// Sum of the nuclear charges less the charge of the molecule.
[[nodiscard]] Extent electron_count(const Molecule& molecule);
/// Electrons of spin up, (n + multiplicity - 1) / 2, and of spin down: the rest.
[[nodiscard]] Extent alpha_count(const Molecule& molecule);
[[nodiscard]] Extent beta_count(const Molecule& molecule);

/// Sum of core_orbitals over the atoms, without those that an effective core replaces: what
/// `frozen_core = true` means. A core of 60 electrons replaces 4f, which is in no core of a noble
/// gas, but not 5s and 5p.
[[nodiscard]] Extent usual_frozen_core(const Molecule& molecule);

/// Charges of the nuclei with their effective cores in e, and positions in bohr, by atom.
[[nodiscard]] std::vector<double> nuclear_charges(const Molecule& molecule);
[[nodiscard]] std::vector<Vector3> positions(const Molecule& molecule);

/// Repulsion energy of the nuclei,  sum over A<B of  Z_A Z_B / |R_A - R_B|,  in hartree.
/// charges [atom] in e;  coordinates [atom][x y z] in bohr.
/// Throws Error{bad_input} if two atoms are closer than 1e-6 bohr.
/// Source: Szabo & Ostlund, Modern Quantum Chemistry (1996), eq. 3.185.
[[nodiscard]] double nuclear_repulsion(std::span<const double> charges,
                                       std::span<const Vector3> coordinates);

/// Dipole moment of the nuclei about the origin,  sum over A of  Z_A R_A,  in e bohr.
[[nodiscard]] Vector3 nuclear_dipole(std::span<const double> charges,
                                     std::span<const Vector3> coordinates);

}  // namespace blockyard::qc
