// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "blockyard/qc/integrals.h"

namespace blockyard::qc {

/// The orbitals of a closed shell: frozen core, active occupied, virtual.
struct DumpedOrbitals {
  std::span<const double> coefficients;  ///< functions * orbitals, first index fastest
  std::span<const double> core;          ///< one-electron Hamiltonian over functions
  double nuclear_energy = 0;
  Extent frozen = 0;
  Extent active_occupied = 0;
};

/// The FCIDUMP format (Knowles, Handy, Comput. Phys. Commun. 54, 75 (1989)): (pq|rs) and h_pq over
/// all orbitals that are not frozen, with the frozen ones in h_pq and in the energy without
/// indices. Values below 1e-15 are left out. Takes n^4 / 4 numbers of memory and n^4 / 8 lines of
/// 45 bytes for the text, and n^5 steps on one core.
[[nodiscard]] std::string fcidump_text(const Integrals& integrals, const DumpedOrbitals& orbitals);

/// Bytes that it takes for n functions.
[[nodiscard]] double fcidump_bytes(Extent functions);

}  // namespace blockyard::qc
