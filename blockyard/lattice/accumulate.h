// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "blockyard/fabric/mpi/session.h"
#include "blockyard/lattice/g4_run.h"
#include "blockyard/ring/team.h"

namespace blockyard::lattice {

/// G4 of samples that a file holds.
struct AccumulateJob {
  std::string samples;
  std::string output;
  G4Options options;
};

/// Collective among the processes of the team. Process 0 writes the output, whole or not at all,
/// and returns what came of it; the others return an empty one. Throws Error{bad_input} for a file
/// or options that do not fit each other, before anything is computed where that can be known.
[[nodiscard]] G4Report accumulate(const AccumulateJob& job, const ring::Team& team);

}  // namespace blockyard::lattice
