// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "blockyard/aces/dat/dat.h"
#include "blockyard/input/spec.h"
#include "blockyard/qc/ao_basis.h"
#include "blockyard/qc/molecule.h"

namespace blockyard::aces::dat {

/// The basis and geometry of a chemistry job: ints `ncenters nshells nalpha_occupied
/// nbeta_occupied intspherical`, and the arrays
///   coords, charge     bohr, x y z of each centre; e
///   ivangmom           angular momentum of each shell
///   npfps, ncfps       primitives and contractions of each shell
///   alphas, pcoeffs    exponents shell by shell; coefficients contraction by contraction
///   tcoords, or atom   x y z of each shell, which is that of a centre; its centre, from 1
/// The others follow from these, and are taken if they are there: ixalphas, ixpcoeffs (where the
/// exponents and coefficients of a shell begin, from 1), indx_cc (number of its first contraction,
/// from 1), ccbeg and ccend (the primitives of each contraction that count).
/// Coefficients of normalised or of bare primitives: those with which the functions have norm 1.

/// Whether an array of this name has ints.
[[nodiscard]] bool is_int_name(std::string_view name);

/// Whether a file has a basis, complete or not.
[[nodiscard]] bool has_basis(const DatFile& file);

/// The molecule in bohr and its basis as a text in NWChem format. Throws Error{bad_input} for what
/// is missing, or data that contradict each other. Centres without charge are ghosts; effective
/// cores are as cores.h says.
[[nodiscard]] std::pair<input::MoleculeSpec, input::BasisSpec> read_molecule(const DatFile& file);

/// Adds the arrays and numbers that follow from those that are there. REQUIRES: read_molecule reads
/// the file.
void complete_molecule(DatFile& file);

/// Puts a molecule with its basis under these names, a shell for each contraction, and counts them:
/// nalphas, npcoeffs, n_c_funcs, ntotshells.
void write_molecule(const qc::Molecule& molecule, const qc::AoBasis& basis, DatFile& file);

/// Throws Error{bad_input} if the file has the arrays of another molecule or basis.
void check_same_molecule(const DatFile& file, const qc::Molecule& molecule,
                         const qc::AoBasis& basis);

}  // namespace blockyard::aces::dat
