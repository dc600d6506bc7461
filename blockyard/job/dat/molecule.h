// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "blockyard/job/dat/dat.h"
#include "blockyard/job/spec.h"
#include "blockyard/qc/ao_basis.h"
#include "blockyard/qc/molecule.h"

namespace blockyard::job::dat {

/// The names by which a chemistry job says its basis and its geometry, ints `ncenters nshells
/// nalpha_occupied nbeta_occupied intspherical` and the arrays:
///   coords    bohr, x y z of each centre, or of each shell
///   charge    of each centre, e
///   atom      centre of each shell, from 1
///   ivangmom  angular momentum of each shell
///   npfps, ncfps       primitives and contractions of each shell
///   ixalpha, ixpcoef   where its exponents and coefficients begin in alphas and pcoeffs, from 1;
///                      coefficients stand contraction by contraction
/// Coefficients of normalised or of bare primitives: those with which the functions have norm 1.
[[nodiscard]] bool is_molecule_name(std::string_view name);

/// The molecule in bohr and its basis as a text in NWChem format, or nothing if the file has none.
/// Throws Error{bad_input} for data that contradict each other, or atoms of one element with
/// different functions.
[[nodiscard]] std::optional<std::pair<MoleculeSpec, BasisSpec>> read_molecule(const DatFile& file);

/// Puts a molecule with its basis under these names.
void write_molecule(const qc::Molecule& molecule, const qc::AoBasis& basis, DatFile& file);

}  // namespace blockyard::job::dat
