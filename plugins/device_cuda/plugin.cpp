// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/abi_plugin.h"
#include "plugins/common/edge.h"
#include "plugins/device_cuda/machine.h"

using Edge = blockyard::plugin::Edge<blockyard::cuda::Machine>;
static_assert(Edge::locks_host && Edge::copies_peers);

const blockyard_device_table* blockyard_device_plugin(void) { return &Edge::table; }

const blockyard_plugin_about* blockyard_device_about(void) {
  // The driver's device, or that of Windows below Linux.
  static constexpr blockyard_plugin_about about = {
      .size = sizeof(blockyard_plugin_about),
      .preference = 2,
      .opens_again = 0,
      .reserved = 0,
      .open_after_seconds = 0.1,
      .needs = "/dev/nvidiactl:/dev/dxg",
  };
  return &about;
}
