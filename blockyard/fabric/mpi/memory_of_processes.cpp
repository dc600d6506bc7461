// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/mpi/memory_of_processes.h"

#include "blockyard/fabric/mpi/mpi_memory.h"

namespace blockyard::fabric {

std::unique_ptr<Memory> memory_of_processes(const void* communicator, int nodes) {
  return mpi_memory(
      communicator == nullptr ? MPI_COMM_WORLD : *static_cast<const MPI_Comm*>(communicator),
      {.nodes = nodes});
}

}  // namespace blockyard::fabric
