// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/job/chemistry.h"
#include "blockyard/program/program.h"
#include "blockyard/worker/environment.h"

namespace blockyard::job {

/// Adds the constants by which programs written for ACES ask about a molecule, but for those that
/// are there already (docs/porting.md has the list): numbers of segments and of orbitals, options
/// of SCF, coupled cluster and equation of motion under their old names.
void add_aces_constants(const Chemistry& chemistry, worker::Environment& environment);

/// A program of the user's own that makes orbitals, since it executes return_h1 and eigen_calc or
/// eigen_calc_sqr_inv, needs all of them: for it the frozen ones count as active occupied ones.
/// Changes its predefined baocc, naocc, naoccorb and those of beta into values of its own.
void give_all_orbitals(const worker::Environment& environment, program::Program& program);

}  // namespace blockyard::job
