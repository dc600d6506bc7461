// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "blockyard/device/device.h"
#include "blockyard/device/loader.h"

namespace blockyard::device {

/// All devices of a kind on this machine, opened: `host`, `sim`, or one with a plug-in.
class DevicesOfKind {
 public:
  /// folder: of plug-ins. Throws Error{bad_input} for an unknown kind, with those that there are,
  /// and Error{device} if there is none of that kind here.
  DevicesOfKind(const std::string& kind, const std::string& options, const std::string& folder);
  [[nodiscard]] std::deque<Device>& all() noexcept { return devices_; }

 private:
  std::optional<Plugin> plugin_;
  std::deque<Device> devices_;
};

}  // namespace blockyard::device
