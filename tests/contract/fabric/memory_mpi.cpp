// SPDX-License-Identifier: Apache-2.0
// The contract tests of Memory over MPI: every process is a rank.
#include <gtest/gtest.h>
#include <mpi.h>

#include "blockyard/fabric/mpi/mpi_memory.h"
#include "tests/contract/fabric/memory_worlds.h"

namespace blockyard::contract {

std::vector<MemoryWorld> memory_worlds() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return {{"mpi", size, [](const auto& main) {
             const auto memory = fabric::mpi_memory(MPI_COMM_WORLD);
             main(*memory);
             MPI_Barrier(MPI_COMM_WORLD);  // one of the tests ends the run of the memory
           }}};
}

}  // namespace blockyard::contract

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  const int failures = RUN_ALL_TESTS();
  MPI_Finalize();
  return failures;
}
