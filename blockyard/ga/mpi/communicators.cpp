// SPDX-License-Identifier: Apache-2.0
// The edge's use of MPI: its ranks, communicators of groups, and the end of a job.
#include "blockyard/ga/mpi/communicators.h"

#include <fmt/format.h>
#include <ga-mpi.h>
#include <mpi.h>

#include <cstdlib>
#include <map>

#include "blockyard/base/error.h"
#include "blockyard/fabric/mpi/mpi_memory.h"
#include "blockyard/ga/edge.h"
#include "blockyard/ga/fortran.h"

namespace blockyard::ga {

namespace {

/// By group. Those of MPI that this runtime made.
std::map<int, MPI_Comm>& communicators() {
  static auto* const only = new std::map<int, MPI_Comm>;
  return *only;
}

/// A number in the environment; 0: none.
int number_in(const char* variable) noexcept {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

bool spans_nodes() noexcept {
  return number_in("BLOCKYARD_GA_NODES") > 1 ||
         number_in("OMPI_COMM_WORLD_SIZE") > number_in("OMPI_COMM_WORLD_LOCAL_SIZE") ||
         (number_in("MPI_LOCALNRANKS") > 0 &&
          number_in("PMI_SIZE") > number_in("MPI_LOCALNRANKS")) ||
         number_in("SLURM_STEP_NUM_NODES") > 1;
}

/// Before main(): programs call plain MPI_Init, but where a job spans nodes a thread of each
/// process serves the others. Both variables leave alone what the user said himself.
[[gnu::constructor]] void ask_for_threads() noexcept {
  if (!spans_nodes()) return;
  setenv("OMPI_MPI_THREAD_LEVEL", "3", 0);  // MPI_THREAD_MULTIPLE
  setenv("MPIR_CVAR_DEFAULT_THREAD_LEVEL", "MPI_THREAD_MULTIPLE", 0);
}

/// BLOCKYARD_GA_NODES: treats each host as this many nodes.
int nodes_of_host() {
  const char* text = std::getenv("BLOCKYARD_GA_NODES");
  if (text == nullptr || *text == '\0') return 1;
  const int nodes = number_in("BLOCKYARD_GA_NODES");
  if (nodes < 1)
    garray::refuse(
        fmt::format("BLOCKYARD_GA_NODES is \"{}\"; it is a number of nodes, 1 or more", text));
  return nodes;
}

}  // namespace

MPI_Comm communicator_of(int group) {
  const auto found = communicators().find(group);
  if (found == communicators().end())
    garray::refuse("the group is not live, or this process is not in it");
  return found->second;
}

void start_mpi(int* argc, char*** argv) {
  int is_up = 0;
  MPI_Initialized(&is_up);
  if (is_up == 0) MPI_Init(argc, argv);
}

std::unique_ptr<fabric::Memory> open_memory(Communicator communicator) {
  int is_up = 0, is_down = 0;
  MPI_Initialized(&is_up);
  MPI_Finalized(&is_down);
  if (is_up == 0 || is_down != 0)
    garray::refuse(
        "MPI is not running: call MPI_Init before GA_Initialize, and MPI_Finalize after "
        "GA_Terminate");
  const MPI_Comm given = communicator.handle == nullptr
                             ? MPI_COMM_WORLD
                             : *static_cast<const MPI_Comm*>(communicator.handle);
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_dup(given, &own);
  communicators()[garray::world_group] = own;
  return fabric::mpi_memory(own, {.nodes = nodes_of_host()});
}

void group_made(int group, const std::vector<int>& ranks) {
  constexpr int tag = 21;
  const MPI_Comm world = communicator_of(garray::world_group);
  MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
  MPI_Comm_group(world, &all);
  MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some);
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_create_group(world, some, tag, &made);
  MPI_Group_free(&some);
  MPI_Group_free(&all);
  communicators()[group] = made;
}

void group_ended(int group) noexcept {
  const auto found = communicators().find(group);
  if (found == communicators().end()) return;
  MPI_Comm_free(&found->second);
  communicators().erase(found);
}

void close_communicators() noexcept {
  for (auto& [group, communicator] : communicators()) MPI_Comm_free(&communicator);
  communicators().clear();
}

int fortran_communicator(int group) { return MPI_Comm_c2f(communicator_of(group)); }

int fortran::initialize_comm(int communicator) {
  static_cast<void>(calls::initialize_comm(MPI_Comm_f2c(communicator)));
  return 1;
}

void abort_all(int code) noexcept {
  int is_up = 0, is_down = 0;
  MPI_Initialized(&is_up);
  MPI_Finalized(&is_down);
  if (is_up != 0 && is_down == 0) MPI_Abort(MPI_COMM_WORLD, code);
  std::_Exit(code);
}

}  // namespace blockyard::ga

extern "C" {

MPI_Comm GA_MPI_Comm(void) {
  return blockyard::ga::run({"GA_MPI_Comm", __builtin_return_address(0), {}}, [] {
    return blockyard::ga::communicator_of(blockyard::garray::world_group);
  });
}

MPI_Comm GA_MPI_Comm_pgroup(int pgroup) {
  return blockyard::ga::run({"GA_MPI_Comm_pgroup", __builtin_return_address(0), {}},
                            [&] { return blockyard::ga::communicator_of(pgroup); });
}

MPI_Comm GA_MPI_Comm_pgroup_default(void) {
  return blockyard::ga::run({"GA_MPI_Comm_pgroup_default", __builtin_return_address(0), {}}, [] {
    return blockyard::ga::communicator_of(blockyard::ga::runtime().default_group());
  });
}
}
