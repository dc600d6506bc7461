// SPDX-License-Identifier: Apache-2.0
// Without MPI a program is one process.
#include <ga-mpi.h>

#include <cstdlib>

#include "blockyard/fabric/loopback/loopback_memory.h"
#include "blockyard/ga/edge.h"
#include "blockyard/ga/fortran.h"

namespace blockyard::ga {

std::unique_ptr<fabric::Memory> open_memory(Communicator /*communicator*/) {
  return std::move(fabric::loopback_memories(1).front());
}
void start_mpi(int* /*argc*/, char*** /*argv*/) {}
std::unique_ptr<garray::GridSolver> grid_solver() { return nullptr; }
void group_made(int /*group*/, const std::vector<int>& /*ranks*/) {}
void group_ended(int /*group*/) noexcept {}
void close_communicators() noexcept {}
int fortran_communicator(int /*group*/) { return MPI_COMM_WORLD; }
int fortran::initialize_comm(int communicator) {
  static_cast<void>(calls::initialize_comm(communicator));
  return 1;
}
void abort_all(int code) noexcept { std::_Exit(code); }

}  // namespace blockyard::ga

extern "C" {
MPI_Comm GA_MPI_Comm(void) { return MPI_COMM_WORLD; }
MPI_Comm GA_MPI_Comm_pgroup(int /*pgroup*/) { return MPI_COMM_WORLD; }
MPI_Comm GA_MPI_Comm_pgroup_default(void) { return MPI_COMM_WORLD; }
}
