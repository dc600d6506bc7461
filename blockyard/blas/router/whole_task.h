// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/blas/router/device_products.h"
#include "blockyard/blas/whole.h"

namespace blockyard::blas {

/// Computes a usual call on a device and then writes what the routine writes, less the workspaces.
/// False, or Error: nothing was written.
template <class T>
[[nodiscard]] bool compute_there(const WholeCall<T>& call, DeviceProducts& products);

}  // namespace blockyard::blas
