// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "blockyard/device/device.h"
#include "blockyard/fabric/fabric.h"

namespace blockyard::ring {

/// Collective. By rank, how fast its device is, measured by copies within its memory, while the
/// others measure theirs: ranks that share a device share its speed. Speeds that differ by less
/// than a quarter are the same. device: null counts as the slowest of the others.
[[nodiscard]] std::vector<double> measured_speeds(fabric::Fabric& fabric, device::Device* device);

}  // namespace blockyard::ring
