// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "blockyard/qc/molecule.h"

namespace blockyard::qc {

/// An atom by its distance to one that came before, its angle with a second, and its dihedral angle
/// with a third. Row 0 has no reference, row 1 one, row 2 two; references count from 0.
struct ZMatrixRow {
  int atomic_number = 0;  ///< 0: a dummy, a place for others to refer to
  int bond_to = -1;
  int angle_to = -1;
  int dihedral_to = -1;
  double bond_bohr = 0;
  double angle_radians = 0;
  double dihedral_radians = 0;
  bool is_ghost = false;  ///< functions without nucleus
};

/// The atoms without the dummies: row 0 in the origin, row 1 on the z axis, row 2 in the x z plane.
/// Throws Error{bad_input} that names the row, counted from 1, if a reference is not to an earlier
/// row or is used twice, a distance is not positive, or the three references lie on one line.
[[nodiscard]] std::vector<Atom> place_z_matrix(std::span<const ZMatrixRow> rows);

}  // namespace blockyard::qc
