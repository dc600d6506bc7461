// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/kind.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/device/host/host.h"
#include "blockyard/device/sim/sim.h"

namespace blockyard::device {

using base::Errc;
using base::Error;

DevicesOfKind::DevicesOfKind(const std::string& kind, const std::string& options,
                             const std::string& folder) {
  const Table* table = nullptr;
  if (kind == "host") {
    table = &host::table();
  } else if (kind == "sim") {
    table = &sim::table();
  } else {
    std::vector<std::string> kinds = plugin_kinds(folder);
    if (std::ranges::find(kinds, kind) == kinds.end()) {
      kinds.insert(kinds.begin(), {"none", "host", "sim"});
      const std::string nearest = base::nearest_name(kind, kinds);
      throw Error(
          Errc::bad_input,
          fmt::format("device '{}': the kinds are {}{}", kind, fmt::join(kinds, ", "),
                      nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest)));
    }
    plugin_.emplace(plugin_path(folder, kind));
    table = &plugin_->table();
  }
  const int count = device_count(*table);
  if (count == 0)
    throw Error(Errc::device,
                fmt::format("device {}: there is none on this machine; take none", kind));
  for (int k = 0; k < count; ++k) devices_.emplace_back(*table, k, options);
}

}  // namespace blockyard::device
