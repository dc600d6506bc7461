// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "plugins/device_opencl/opencl.h"

namespace blockyard::opencl {

/// The register tile of the contraction for one element type on one device.
struct Tile {
  std::int64_t lanes = 1;  ///< of a vector
  std::int64_t rows = 0;   ///< two vectors; 0: this type is not tiled
  std::int64_t columns = 0;
};

/// The kernels of kernels.cl for one element type. Not for two threads at once: the arguments of a
/// kernel are part of it.
struct Kernels {
  Program program;
  Kernel permute, contract_plain, dot, pack, multiply;  ///< the last two: of tiled types only
  Tile tile;
};

/// Builds them, or takes the binary that an earlier process left in the folder `cache` (empty:
/// none), where it is kept by source, options, device and driver.
/// Throws Failure; std::runtime_error with the log of the compiler.
[[nodiscard]] Kernels build_kernels(cl_context context, cl_device_id device, std::uint32_t element,
                                    const std::string& cache);

}  // namespace blockyard::opencl
