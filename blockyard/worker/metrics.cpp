// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/metrics.h"

namespace blockyard::worker {

double Metrics::hit_ratio() const {
  std::uint64_t accesses = 0;
  std::uint64_t blocked = 0;
  for (const LineWait& line : lines) {
    accesses += line.accesses;
    blocked += line.blocked;
  }
  return accesses == 0 ? 1.0 : 1.0 - static_cast<double>(blocked) / static_cast<double>(accesses);
}

}  // namespace blockyard::worker
