// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "blockyard/qc/integrals.h"

/// Properties of an excited state from its singles. Amplitudes are virtuals * occupied, first index
/// fastest.
namespace blockyard::qc {

/// One excitation of a state.
struct Excitation {
  Extent occupied = 0;  ///< counted from 0 among the occupied orbitals of the amplitudes
  Extent virtual_ = 0;
  double amplitude = 0;
  friend bool operator==(const Excitation&, const Excitation&) = default;
};

/// Those with an amplitude of at least `least`, the largest first, at most `most`.
[[nodiscard]] std::vector<Excitation> leading_excitations(std::span<const double> amplitudes,
                                                          Extent virtuals, double least,
                                                          std::size_t most);

/// Matrix elements <p|r|q> of orbitals, about the origin, in bohr: for each axis orbitals *
/// orbitals. coefficients: functions * orbitals.
[[nodiscard]] std::array<std::vector<double>, 3> orbital_dipoles(
    const Integrals& integrals, std::span<const double> coefficients);

/// Transition dipole moment of a singlet from a closed shell, of one determinant to single
/// excitations of norm 1, e bohr:  sqrt(2) sum over a, i of  x_ai <i|r|a>.
/// The occupied orbitals of the amplitudes are first_occupied, ..., the virtual ones first_virtual,
/// ... Source: Foresman et al., J. Phys. Chem. 96, 135 (1992).
[[nodiscard]] Vector3 singlet_transition_dipole(
    std::span<const double> amplitudes, Extent virtuals, Extent first_occupied,
    Extent first_virtual, const std::array<std::vector<double>, 3>& orbital_dipoles,
    Extent orbitals);

/// Moments of left states that met[left, right] of the right ones (as many, first index fastest)
/// become those of the combinations that meet one right state each, by 1. Throws Error{bad_input}
/// if what a state meets is below 1e-3. It is about 1 of states of norm 1, and goes to zero where
/// two eigenvectors of a matrix that is not symmetric become one. Vectors that converged to 1e-6
/// meet others than their own by 1e-6 / (difference of energies), which must not count as theirs.
void make_biorthogonal(std::vector<double> met, std::vector<Vector3>& moments);

/// 2/3 w |mu|^2, in atomic units: w in hartree, mu in e bohr.
[[nodiscard]] double oscillator_strength(double hartree, const Vector3& transition_dipole);

}  // namespace blockyard::qc
