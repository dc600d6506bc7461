// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/abi_plugin.h"
#include "plugins/common/edge.h"
#include "plugins/device_opencl/machine.h"

const blockyard_device_table* blockyard_device_plugin(void) {
  return &blockyard::plugin::Edge<blockyard::opencl::Machine>::table;
}

const blockyard_plugin_about* blockyard_device_about(void) {
  // Most are processors, which can be opened in parts and are slow to compile kernels.
  static constexpr blockyard_plugin_about about = {
      .size = sizeof(blockyard_plugin_about),
      .preference = 1,
      .opens_again = 1,
      .reserved = 0,
      .open_after_seconds = 2.0,
      .needs = "/etc/OpenCL/vendors",
  };
  return &about;
}
