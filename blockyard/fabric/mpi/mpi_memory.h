// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <memory>

#include "blockyard/fabric/memory.h"

namespace blockyard::fabric {

struct MpiMemoryOptions {
  /// As if the processes were on so many nodes. For tests.
  int nodes = 1;
};

/// Collective among the processes of `communicator`, which are the ranks. It may be freed
/// afterwards, before the memory ends; MPI must last longer. Throws Error{no_memory}, Error{comm}.
[[nodiscard]] std::unique_ptr<Memory> mpi_memory(MPI_Comm communicator,
                                                 const MpiMemoryOptions& options = {});

}  // namespace blockyard::fabric
