// SPDX-License-Identifier: Apache-2.0
#include "apps/blockyard/ring_devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "apps/blockyard/commands.h"
#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/device/host/host.h"
#include "blockyard/device/sim/sim.h"

namespace blockyard::app {

using base::Errc;
using base::Error;

RingDevices::RingDevices(const RingDeviceChoice& choice) : choice_(choice) {
  const std::string& kind = choice.kind;
  if (kind == "none") return;
  const device::Table* table = nullptr;
  if (kind == "host") {
    table = &device::host::table();
  } else if (kind == "sim") {
    table = &device::sim::table();
  } else {
    const std::string folder = find_places("").plugins;
    std::vector<std::string> kinds = device::plugin_kinds(folder);
    if (std::ranges::find(kinds, kind) == kinds.end()) {
      kinds.insert(kinds.begin(), {"none", "host", "sim"});
      const std::string nearest = base::nearest_name(kind, kinds);
      throw Error(
          Errc::bad_input,
          fmt::format("device '{}': there are {}{}", kind, fmt::join(kinds, ", "),
                      nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest)));
    }
    plugin_.emplace(device::plugin_path(folder, kind));
    table = &plugin_->table();
  }
  const int count = device::device_count(*table);
  if (count == 0)
    throw Error(Errc::device,
                fmt::format("device {}: there is none on this machine; take none", kind));
  for (int k = 0; k < count; ++k) devices_.emplace_back(*table, k, choice.options);
}

void RingDevices::put_into(lattice::G4Options& options, int ranks_here) {
  options.devices.clear();
  options.device_bytes = 0;
  if (devices_.empty()) return;
  for (device::Device& one : devices_) options.devices.push_back(&one);
  const auto count = static_cast<int>(devices_.size());
  const std::int64_t ranks_each = std::max(1, (ranks_here + count - 1) / count);
  const blockyard_description about = devices_.front().describe();
  if (!choice_.memory.empty())
    options.device_bytes = base::parse_bytes(choice_.memory, "--device-memory") / ranks_each;
  else if (about.shares_host_memory == 0 && about.free_bytes > 0)
    options.device_bytes = static_cast<std::int64_t>(about.free_bytes) / 10 * 9 / ranks_each;
}

}  // namespace blockyard::app
