// SPDX-License-Identifier: Apache-2.0
#include "apps/blockyard/ring_devices.h"

#include <algorithm>

#include "apps/blockyard/commands.h"
#include "blockyard/base/text.h"

namespace blockyard::app {

RingDevices::RingDevices(const RingDeviceChoice& choice) : choice_(choice) {
  if (choice.kind != "none") devices_.emplace(choice.kind, choice.options, find_places("").plugins);
}

void RingDevices::put_into(lattice::G4Options& options, int ranks_here) {
  options.devices.clear();
  options.device_bytes = 0;
  if (!devices_) return;
  std::deque<device::Device>& devices = devices_->all();
  for (device::Device& one : devices) options.devices.push_back(&one);
  const auto count = static_cast<int>(devices.size());
  const std::int64_t ranks_each = std::max(1, (ranks_here + count - 1) / count);
  const blockyard_description about = devices.front().describe();
  if (!choice_.memory.empty())
    options.device_bytes = base::parse_bytes(choice_.memory, "--device-memory") / ranks_each;
  else if (about.shares_host_memory == 0 && about.free_bytes > 0)
    options.device_bytes = static_cast<std::int64_t>(about.free_bytes) / 10 * 9 / ranks_each;
}

}  // namespace blockyard::app
