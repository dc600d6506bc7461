// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <memory>

#include "blockyard/fabric/memory.h"

namespace blockyard::fabric {

struct MpiMemoryOptions {
  /// Treats each host as this many nodes. For tests.
  int nodes = 1;
};

/// Collective among the processes of `communicator`, which are the ranks. It may be freed
/// afterwards, before the memory ends; MPI must last longer. Processes that cannot open each
/// other's memory count as on nodes of their own. Between nodes letters are served by a thread of
/// each process if MPI was started with MPI_THREAD_MULTIPLE; else in calls only, with one warning
/// on standard error. Throws Error{no_memory}, Error{comm}.
[[nodiscard]] std::unique_ptr<Memory> mpi_memory(MPI_Comm communicator,
                                                 const MpiMemoryOptions& options = {});

}  // namespace blockyard::fabric
