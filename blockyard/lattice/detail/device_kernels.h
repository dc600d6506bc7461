// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "blockyard/device/kernel.h"

namespace blockyard::lattice::detail {

using Index = std::int64_t;
#include "blockyard/lattice/detail/g4_structs.cl"

/// The kernels of g4_kernels.cl, each as a function of the host, OpenCL C and CUDA C++. The
/// arguments of a run are those of the function of the same name, after its elements.
[[nodiscard]] device::Kernel unpack_kernel();
[[nodiscard]] device::Kernel pick_kernel();
[[nodiscard]] device::Kernel phases_kernel();
[[nodiscard]] device::Kernel right_kernel();
[[nodiscard]] device::Kernel tiles_kernel();
[[nodiscard]] device::Kernel add_kernel();
[[nodiscard]] device::Kernel add_exactly_kernel();

}  // namespace blockyard::lattice::detail
