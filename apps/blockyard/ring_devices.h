// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "blockyard/device/kind.h"
#include "blockyard/lattice/g4_run.h"
#include "blockyard/ring/team.h"

namespace blockyard::app {

/// What the user says of the devices that hold slices.
struct RingDeviceChoice {
  std::string kind = "none";                      ///< none, host, sim, or one that has a plug-in
  std::string options = {};                       ///< of the device
  std::optional<std::int64_t> memory_bytes = {};  ///< of each device; none: 90 % of what is free
};

/// The devices of this process, open until the end of a run.
class RingDevices {
 public:
  /// Collective among processes, if there are any. Throws Error{bad_input} for an unknown kind,
  /// with those that there are, and Error{device} if there is none of that kind in one of them.
  RingDevices(const RingDeviceChoice& choice, fabric::MpiSession* session);

  /// Collective among processes. Puts them into the options of a run, with the share of a rank in
  /// the one that has least.
  void put_into(lattice::G4Options& options, const ring::Team& team);

 private:
  RingDeviceChoice choice_;
  std::optional<device::DevicesOfKind> devices_;
};

}  // namespace blockyard::app
