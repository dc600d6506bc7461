// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "blockyard/qc/ao_basis.h"

namespace blockyard::qc {

/// Orbitals of one spin, or of both where electrons are paired.
struct OrbitalSet {
  bool is_beta = false;
  std::vector<double> coefficients;  ///< functions * orbitals, first index fastest
  std::vector<double> hartree;       ///< energy of each
  std::vector<double> occupations;   ///< electrons in each: 0, 1, or 2 where they are paired
};

/// A wave function of one determinant, for other programs. The references outlive it.
struct WaveFunction {
  const Molecule& molecule;
  const AoBasis& basis;
  std::vector<OrbitalSet> orbitals;  ///< one set, or alpha and beta
  std::string title;
};

/// The Molden format (Schaftenaar, Noordik, J. Comput.-Aided Mol. Design 14, 123 (2000)): geometry
/// in bohr, shells with contractions of norm 1, orbitals. Throws Error{bad_input} for shells beyond
/// h.
[[nodiscard]] std::string molden_text(const WaveFunction& wave_function);

}  // namespace blockyard::qc
