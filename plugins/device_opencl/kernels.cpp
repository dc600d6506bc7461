// SPDX-License-Identifier: Apache-2.0
#include "plugins/device_opencl/kernels.h"

#include <algorithm>

#include "blockyard/device/abi.h"
#include "plugins/device_opencl/element_source.h"
#include "plugins/device_opencl/kernels_source.h"
#include "plugins/device_opencl/program.h"

namespace blockyard::opencl {
namespace {

/// Vectors as wide as the device's own, and as many columns as leave registers for the operands:
/// 32 vector registers where they have 64 bytes, 16 where they are shorter. A device that is not a
/// CPU gets a small tile, since each of its work items has few registers.
Tile choose_tile(cl_device_id device, std::uint32_t element) {
  if (element != BLOCKYARD_F32 && element != BLOCKYARD_F64) return {};
  const bool is_double = element == BLOCKYARD_F64;
  if ((property<cl_device_type>(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) == 0)
    return {2, 4, 4};
  const auto native = property<cl_uint>(device, is_double ? CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE
                                                          : CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT);
  const std::int64_t lanes = std::clamp<std::int64_t>(native, 2, 16);
  const bool is_wide = lanes * (is_double ? 8 : 4) >= 64;
  return {lanes, 2 * lanes, is_wide ? 12 : 6};
}

std::string options_for(std::uint32_t element, const Tile& tile) {
  const bool is_double = element == BLOCKYARD_F64 || element == BLOCKYARD_C128;
  const std::string real = is_double ? "double" : "float";
  const std::string lanes = std::to_string(tile.lanes);
  std::string options = "-cl-std=CL1.2 -DR=" + real;
  if (tile.rows == 0) return options + " -DCOMPLEX=1 -DW=1 -DNR=1";
  return options + " -DCOMPLEX=0 -DW=" + lanes + " -DV=" + real + lanes + " -DVLOAD=vload" + lanes +
         " -DVSTORE=vstore" + lanes + " -DNR=" + std::to_string(tile.columns);
}

}  // namespace

Kernels build_kernels(cl_context context, cl_device_id device, std::uint32_t element,
                      const std::string& cache) {
  Kernels result;
  result.tile = choose_tile(device, element);
  const std::string options = options_for(element, result.tile);
  result.program =
      build_program(context, device, std::string(element_source) + kernels_source, options, cache);
  result.permute = open_kernel(result.program, "permute");
  result.contract_plain = open_kernel(result.program, "contract_plain");
  result.dot = open_kernel(result.program, "dot_all");
  if (result.tile.rows > 0) {
    result.pack = open_kernel(result.program, "pack");
    result.multiply = open_kernel(result.program, "multiply");
  }
  return result;
}

}  // namespace blockyard::opencl
