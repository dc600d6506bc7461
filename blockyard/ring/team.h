// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "blockyard/base/buffer.h"
#include "blockyard/fabric/delay/delay.h"
#include "blockyard/fabric/fabric.h"
#include "blockyard/fabric/mpi/session.h"

namespace blockyard::ring {

/// The ranks of a run: threads of this process, and of the others if there is a session.
struct Team {
  int ranks_here = 1;  ///< the same in every process
  fabric::MpiSession* session = nullptr;
  /// MPI reads and writes devices that were opened with network=1.
  bool reads_devices = false;
  std::optional<fabric::Delay> delay;
  std::optional<std::uint64_t> delivery_seed;  ///< of the loopback fabric, for tests
  /// Asked every 0.1 s; a text ends the run with it as its cause.
  std::function<std::string()> stop_reason;
  /// Called when other processes did not end after an error: ends this one.
  std::function<void(const std::string& cause)> give_up;

  [[nodiscard]] int ranks() const noexcept {
    return ranks_here * (session != nullptr ? session->processes() : 1);
  }
};

/// Collective among processes. Runs `work` once on a thread for each rank; ranks of a process are
/// numbered one after the other, so that most neighbours share memory. Throws what the first rank
/// that failed threw; then the other ranks have been ended too. The payloads come from `pool`.
void run_team(const Team& team, base::BufferPool& pool,
              const std::function<void(fabric::Fabric&)>& work);

}  // namespace blockyard::ring
