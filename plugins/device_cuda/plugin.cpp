// SPDX-License-Identifier: Apache-2.0
#include "plugins/common/edge.h"
#include "plugins/device_cuda/machine.h"

const blockyard_device_table* blockyard_device_plugin(void) {
  return &blockyard::plugin::Edge<blockyard::cuda::Machine>::table;
}
