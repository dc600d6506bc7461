// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/blas/router/calibration.h"
#include "blockyard/device/device.h"

namespace blockyard::blas {

/// Measures a device, the link to it, and `here`, a device of this machine whose products are those
/// of its own library. Takes some seconds at most, and 3 times 64 MiB on either. Throws Error.
[[nodiscard]] Calibration measure(device::Device& there, device::Device& here);

}  // namespace blockyard::blas
