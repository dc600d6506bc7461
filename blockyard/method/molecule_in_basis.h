// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "blockyard/input/places.h"
#include "blockyard/input/spec.h"
#include "blockyard/qc/ao_basis.h"
#include "blockyard/qc/basis_set.h"
#include "blockyard/qc/molecule.h"

namespace blockyard::method {

struct MoleculeInBasis {
  qc::Molecule molecule;
  qc::AoBasis basis;
  std::string basis_name;  ///< of all sets, the usual one first
};

/// Reads a molecule and the sets of its atoms: functions and effective cores.
/// Throws Error for faults of the geometry, the electrons, a set, or an atom with a
/// set of its own.
[[nodiscard]] MoleculeInBasis read_molecule(const input::MoleculeSpec& molecule,
                                            const input::BasisSpec& basis,
                                            const input::Places& places);

/// The set that fits products of basis functions. Throws Error{bad_input} if the job names none and
/// there is none that belongs to its basis.
[[nodiscard]] qc::BasisSet read_auxiliary(const input::BasisSpec& spec,
                                          const input::Places& places);

}  // namespace blockyard::method
