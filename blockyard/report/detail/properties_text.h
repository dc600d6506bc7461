// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "blockyard/job/run.h"

/// Parts of what report.h prints.
namespace blockyard::report::detail {

/// The atoms, one a line, angstrom.
[[nodiscard]] std::string print_geometry(const qc::Molecule& molecule);

/// Dipole moments, orbital energies around the gap, charges, diagnostics. REQUIRES: a method.
[[nodiscard]] std::string print_properties(const job::Job& job, const job::Results& results);

}  // namespace blockyard::report::detail
