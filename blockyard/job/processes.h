// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "blockyard/fabric/mpi/session.h"
#include "blockyard/job/job.h"

/// Steps of all processes of one mpirun before and after a run.
namespace blockyard::job {

/// What a process says of itself and its machine.
struct Seat {
  std::string host;
  std::vector<std::int32_t> processors;  ///< that it may use
  std::int32_t quota = 0;                ///< cores that control groups grant; 0: no limit
  std::int32_t on_node = 1;              ///< processes on its machine
  GrantedMemory memory;

  template <class Stream>
  void fields(Stream& stream) {
    stream.fields(host, processors, quota, on_node, memory.own.bytes, memory.own.limit,
                  memory.group.bytes, memory.group.limit, memory.machine.bytes,
                  memory.machine.limit);
  }
};

/// Processes get equally many workers and equally much memory, so those count that have the least.
/// Launchers tie processes to cores of their own, or let them share all of a machine: the cores of
/// a machine are the union of what its processes may use. REQUIRES: a seat, the first of process 0.
[[nodiscard]] ProcessCount count_seats(std::span<const Seat> seats);

/// Collective. The processes of a run, as count_seats says; alone without a session.
[[nodiscard]] ProcessCount count_processes(fabric::MpiSession* session);

/// Throws at all processes if one of them is another build of blockyard than process 0.
void check_builds(fabric::MpiSession& session);

/// Which process each rank is in: workers one after the other, equally many in each process; then
/// the servers, one in each process or, if they are apart, each in one of the last processes.
[[nodiscard]] std::vector<int> place_ranks(const Job& job);

}  // namespace blockyard::job
