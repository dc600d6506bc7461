// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ring/speed.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "blockyard/base/clock.h"

namespace blockyard::ring {

namespace {

/// Times a second, the best of a few runs. Each run is long enough for the clock and the system.
double speed_of(const std::function<void()>& work) {
  constexpr double run_seconds = 2e-3;
  constexpr int runs = 3;
  work();  // first uses take longer
  double best = 0;
  for (int run = 0; run < runs; ++run) {
    const double begin = base::now_seconds();
    double end = begin;
    int times = 0;
    for (; end - begin < run_seconds; ++times, end = base::now_seconds()) work();
    best = std::max(best, times / (end - begin));
  }
  return best;
}

}  // namespace

std::vector<double> measured_speeds(fabric::Fabric& fabric, const std::function<void()>& work) {
  std::vector<double> speeds(static_cast<std::size_t>(fabric.size()), 0.0);
  fabric.barrier();
  if (work) speeds[static_cast<std::size_t>(fabric.rank())] = speed_of(work);
  fabric.reduce(speeds);
  double slowest = std::numeric_limits<double>::infinity();
  for (const double speed : speeds)
    if (speed > 0) slowest = std::min(slowest, speed);
  // Steps of a quarter: what is measured is never quite the same.
  const double step = std::log(1.25);
  for (double& speed : speeds)
    speed = speed > 0 ? std::exp(step * std::floor(std::log(speed / slowest) / step)) : 1.0;
  return speeds;
}

}  // namespace blockyard::ring
