// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/metrics.h"

namespace blockyard::worker {

namespace {
double hits(std::uint64_t blocked, std::uint64_t accesses) {
  return accesses == 0 ? 1.0 : 1.0 - static_cast<double>(blocked) / static_cast<double>(accesses);
}
}  // namespace

double LineWait::hit_ratio() const { return hits(blocked, accesses); }

double LineWait::mean_wait_seconds() const {
  return gets == 0 ? 0.0 : wait_seconds / static_cast<double>(gets);
}

double Metrics::hit_ratio() const {
  std::uint64_t accesses = 0;
  std::uint64_t blocked = 0;
  for (const LineWait& line : lines) {
    accesses += line.accesses;
    blocked += line.blocked;
  }
  return hits(blocked, accesses);
}

}  // namespace blockyard::worker
