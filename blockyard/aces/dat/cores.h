// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blockyard/aces/dat/dat.h"
#include "blockyard/qc/ao_basis.h"
#include "blockyard/qc/effective_core.h"
#include "blockyard/qc/molecule.h"

namespace blockyard::aces::dat {

/// The effective core potentials of a file's centres, in int arrays
///   ipseux, nelecp, llmax   of each centre: 1 if it has one; core electrons; l of the local part
///   kfirst, klast           first and last term, from 1, of the parts of each centre that has one:
///                           the local part, then l = 0, 1, ... less the local one; counted in the
///                           centre's own stretch of
///   nlp, clp, zlp           (scalar arrays clp, zlp) terms  clp r^(nlp - 2) exp(-zlp r^2)

/// Whether an array of this name has ints.
[[nodiscard]] bool is_core_int_name(std::string_view name);

/// The effective core of each centre; none for a file without any. Throws Error{bad_input} for data
/// that contradict each other, or cores that are counted (ints necp_atoms, iecp_on) and not there.
[[nodiscard]] std::vector<std::optional<qc::EffectiveCore>> read_cores(const DatFile& file,
                                                                       std::size_t centres);

/// Potentials of an element in NWChem format, without ECP and END.
[[nodiscard]] std::string core_text(std::string_view symbol, const qc::EffectiveCore& core);

/// Puts effective cores under these names; nothing if the molecule has none.
void write_cores(const qc::Molecule& molecule, const qc::AoBasis& basis, DatFile& file);

}  // namespace blockyard::aces::dat
