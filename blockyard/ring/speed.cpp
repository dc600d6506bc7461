// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ring/speed.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "blockyard/base/clock.h"

namespace blockyard::ring {

namespace {

/// Copies a second, of 4 MB each; 0: the device has no room to measure.
double speed_of(device::Device& device) {
  constexpr base::Extent bytes = base::Extent{4} << 20;
  constexpr int copies = 4, runs = 3;
  const auto memory = device.allocate(2 * bytes);
  if (!memory) return 0;
  device::Stream stream = device.open_stream();
  stream.fill(memory->address(), BLOCKYARD_F64, 0.0, 2 * bytes / 8);
  stream.synchronise();
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < runs; ++run) {
    const double begin = base::now_seconds();
    for (int copy = 0; copy < copies; ++copy)
      stream.copy_within(memory->address() + bytes, memory->address(), bytes);
    stream.synchronise();
    best = std::min(best, base::now_seconds() - begin);
  }
  return copies / std::max(best, 1e-9);
}

}  // namespace

std::vector<double> measured_speeds(fabric::Fabric& fabric, device::Device* device) {
  std::vector<double> speeds(static_cast<std::size_t>(fabric.size()), 0.0);
  fabric.barrier();
  if (device != nullptr) speeds[static_cast<std::size_t>(fabric.rank())] = speed_of(*device);
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
