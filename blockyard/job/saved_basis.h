// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "blockyard/qc/ao_basis.h"
#include "blockyard/store/persist_file.h"
#include "blockyard/worker/worker.h"

/// The molecule and its basis next to the orbitals of `--save`, so that a job in another basis can
/// start from them. Three static arrays, a column for each thing (docs/disk.md):
///   atoms             atomic number, electrons of the effective core, x, y, z in bohr
///   basis_shells      atom from 0, angular momentum, primitives, 1 if spherical else 0
///   basis_primitives  exponent, coefficient; those of the first shell first
namespace blockyard::job {

/// What those arrays say. The shells have no places, the atoms are never ghosts.
struct SavedBasis {
  qc::Molecule molecule;
  qc::AoBasis basis;
};

/// The arrays of a molecule in a basis, by label.
[[nodiscard]] std::map<std::string, worker::DenseArray, std::less<>> basis_arrays(
    const qc::Molecule& molecule, const qc::AoBasis& basis);

/// Nothing if the file does not have them. Throws Error{bad_input} if they are not what they should
/// be.
[[nodiscard]] std::optional<SavedBasis> read_basis_arrays(const store::PersistReader& reader);

/// Whether both have the same functions on the same atoms, wherever these are.
[[nodiscard]] bool have_same_functions(const qc::AoBasis& one, const qc::AoBasis& other);

}  // namespace blockyard::job
