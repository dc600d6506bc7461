// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/abi.h"
#include "blockyard/device/sim/sim.h"

const blockyard_device_table* blockyard_device_plugin() { return &blockyard::device::sim::table(); }
