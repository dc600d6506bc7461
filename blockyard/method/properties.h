// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "blockyard/method/chemistry.h"
#include "blockyard/method/program_result.h"
#include "blockyard/qc/wave_function.h"

namespace blockyard::method {

/// Orbital energies, hartree, lowest first. Restricted open shells have those of both spins, of
/// semicanonical orbitals: the occupied ones come first, whatever their energies.
struct OrbitalLevels {
  std::string spin;  ///< "both", "alpha" or "beta"
  Extent occupied = 0;
  std::vector<double> hartree;
  [[nodiscard]] std::optional<double> homo() const;
  [[nodiscard]] std::optional<double> lumo() const;
};

/// Mulliken's division of the electrons among the atoms.
struct AtomicCharges {
  std::string method;        ///< whose density: "scf", "ccsd"
  std::vector<double> e;     ///< charge of each atom
  std::vector<double> spin;  ///< alpha less beta electrons of each atom; empty: a closed shell
};

struct MethodDiagnostics {
  std::string method;
  qc::SinglesDiagnostics singles;
};

/// The results of a method's programs besides energies and dipole moments. A part whose arrays are
/// not there is empty.
struct Properties {
  std::vector<OrbitalLevels> levels;
  std::vector<AtomicCharges> charges;
  std::vector<MethodDiagnostics> diagnostics;
};

/// Of the programs of a method.
[[nodiscard]] Properties properties_of(const Chemistry& chemistry,
                                       std::span<const ProgramResult> results);

}  // namespace blockyard::method
