// SPDX-License-Identifier: Apache-2.0
// A plug-in called "x": the simulated device, which says of itself that it is nothing else. Its
// name stands nowhere but in the name of its file.
#include "blockyard/device/abi_plugin.h"
#include "blockyard/device/sim/sim.h"

const blockyard_device_table* blockyard_device_plugin() { return &blockyard::device::sim::table(); }

const blockyard_plugin_about* blockyard_device_about() {
  static constexpr blockyard_plugin_about about = {.size = sizeof(blockyard_plugin_about),
                                                   .preference = 0,
                                                   .opens_again = 0,
                                                   .reserved = 0,
                                                   .open_after_seconds = 0,
                                                   .needs = nullptr};
  return &about;
}
