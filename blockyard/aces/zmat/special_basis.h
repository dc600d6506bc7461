// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "blockyard/aces/zmat/lines.h"
#include "blockyard/aces/zmat/zmat.h"

namespace blockyard::aces::zmat {

/// ACES II and CFOUR leave "cc-" out: PVDZ, AUG-PVTZ. `name` in lower case.
[[nodiscard]] std::string full_basis_name(const std::string& name);

/// The element that line `atom` (from 0) of the list of basis sets begins with: O of O:PVDZ.
/// Throws at `ghost`, the line of a ghost atom, if there is none.
[[nodiscard]] std::string element_of_ghost(const Parts& parts, const Line& ghost, std::size_t atom);

/// Puts the lists ATOM:NAME after the keywords into the job, a line for each atom: basis sets,
/// unless the job names one for all already, and then, with `has_cores`, the sets whose effective
/// core potentials are taken, or NONE.
/// Throws for lines that do not fit the atoms.
void apply_special_basis(const Parts& parts, bool has_cores, ZmatJob& job);

}  // namespace blockyard::aces::zmat
