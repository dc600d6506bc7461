// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/job/chemistry.h"
#include "blockyard/worker/environment.h"

namespace blockyard::job {

/// Adds the constants by which programs written for ACES ask about a molecule, but for those that
/// are there already (docs/porting.md has the list): numbers of segments and of orbitals, options
/// of SCF, coupled cluster and equation of motion under their old names.
void add_aces_constants(const Chemistry& chemistry, worker::Environment& environment);

}  // namespace blockyard::job
