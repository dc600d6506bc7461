// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "blockyard/fabric/memory.h"

namespace blockyard::fabric {

/// Collective among the processes of an MPI communicator, which are the ranks; MPI is up and lasts
/// longer. For callers that do not see mpi.h.
/// communicator: where an MPI_Comm lies; null: all processes of the job.
/// nodes: treats each host as this many nodes, for tests.
/// Throws Error{bad_input} if this build has no MPI, Error{no_memory}, Error{comm}.
[[nodiscard]] std::unique_ptr<Memory> memory_of_processes(const void* communicator, int nodes = 1);

}  // namespace blockyard::fabric
