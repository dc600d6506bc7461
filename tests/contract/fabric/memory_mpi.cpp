// SPDX-License-Identifier: Apache-2.0
// The contract tests of Memory over MPI: every process is a rank.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "blockyard/fabric/mpi/mpi_memory.h"
#include "tests/contract/fabric/memory_worlds.h"

namespace blockyard::contract {

std::vector<MemoryWorld> memory_worlds() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<MemoryWorld> worlds;
  // One node, two of them, and one for each process.
  for (const int nodes : std::set<int>{1, std::min(2, size), size})
    worlds.push_back(
        {nodes == 1 ? "mpi" : "mpi_nodes" + std::to_string(nodes), size, [nodes](const auto& main) {
           const auto memory = fabric::mpi_memory(MPI_COMM_WORLD, {nodes});
           main(*memory);
           MPI_Barrier(MPI_COMM_WORLD);  // one of the tests ends the run of the memory
         }});
  return worlds;
}

}  // namespace blockyard::contract

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  const bool is_single = argc > 1 && std::string(argv[1]) == "single";
  MPI_Init_thread(&argc, &argv, is_single ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE, &level);
  testing::InitGoogleTest(&argc, argv);
  const int failures = RUN_ALL_TESTS();
  MPI_Finalize();
  return failures;
}
