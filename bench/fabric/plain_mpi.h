// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace blockyard::bench {

/// Seconds of one operation.
struct PlainTimes {
  double ping_pong = 0;  ///< half of there and back
  double get = 0;
  double put = 0;
  double accumulate = 0;
};

/// Collective among two processes: MPI by itself, by size of sizes(). The times are those of
/// process 0.
[[nodiscard]] std::vector<PlainTimes> measure_plain_mpi();

}  // namespace blockyard::bench
