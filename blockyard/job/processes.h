// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "blockyard/fabric/mpi/session.h"
#include "blockyard/job/job.h"

/// Steps of all processes of one mpirun before and after a run.
namespace blockyard::job {

/// Collective. The processes of a run; alone without a session. Launchers tie processes to cores of
/// their own, or let them share all of a machine: the cores are the union of what the processes on
/// the machine of process 0 may use.
[[nodiscard]] ProcessCount count_processes(fabric::MpiSession* session);

/// Throws at all processes if one of them is another build of blockyard than process 0.
void check_builds(fabric::MpiSession& session);

/// Which process each rank is in: workers one after the other, equally many in each process; then
/// the servers, one in each process or, if they are apart, each in one of the last processes.
[[nodiscard]] std::vector<int> place_ranks(const Job& job);

}  // namespace blockyard::job
