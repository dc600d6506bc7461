// SPDX-License-Identifier: Apache-2.0
#include "plugins/device_opencl/opencl.h"

#include <cstdio>

namespace blockyard::opencl {
namespace {

const char* name_of(cl_int code) {
  switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
      return "CL_MEM_OBJECT_ALLOCATION_FAILURE";
    case CL_OUT_OF_RESOURCES:
      return "CL_OUT_OF_RESOURCES";
    case CL_OUT_OF_HOST_MEMORY:
      return "CL_OUT_OF_HOST_MEMORY";
    case CL_BUILD_PROGRAM_FAILURE:
      return "CL_BUILD_PROGRAM_FAILURE";
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
      return "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST";
    default:
      return "see CL/cl.h";
  }
}

}  // namespace

Failure::Failure(const char* call, cl_int code)
    : std::runtime_error(std::string(call) + " failed with " + std::to_string(code) + " (" +
                         name_of(code) + ")"),
      code_(code) {}

std::string text_property(cl_device_id device, cl_device_info name) {
  std::size_t bytes = 0;
  check(clGetDeviceInfo(device, name, 0, nullptr, &bytes), "clGetDeviceInfo");
  std::string text(bytes, '\0');
  check(clGetDeviceInfo(device, name, bytes, text.data(), nullptr), "clGetDeviceInfo");
  return text.substr(0, text.find('\0'));
}

namespace {

/// Whether it computes in f64 and compiles OpenCL C 1.2. What does not answer does not.
bool is_usable(cl_device_id device) try {
  if (property<cl_device_fp_config>(device, CL_DEVICE_DOUBLE_FP_CONFIG) == 0) return false;
  if (property<cl_bool>(device, CL_DEVICE_COMPILER_AVAILABLE) == CL_FALSE) return false;
  int major = 0, minor = 0;
  const std::string version = text_property(device, CL_DEVICE_VERSION);
  return std::sscanf(version.c_str(), "OpenCL %d.%d", &major, &minor) == 2 &&
         std::pair(major, minor) >= std::pair(1, 2);
} catch (const Failure&) {
  return false;
}

}  // namespace

std::vector<cl_device_id> find_devices() {
  std::vector<cl_device_id> found;
  cl_uint platform_count = 0;
  if (clGetPlatformIDs(0, nullptr, &platform_count) != CL_SUCCESS) return found;
  std::vector<cl_platform_id> platforms(platform_count);
  if (clGetPlatformIDs(platform_count, platforms.data(), nullptr) != CL_SUCCESS) return found;
  for (const cl_platform_id platform : platforms) {
    cl_uint count = 0;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) continue;
    std::vector<cl_device_id> devices(count);
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr) != CL_SUCCESS)
      continue;
    for (const cl_device_id device : devices)
      if (is_usable(device)) found.push_back(device);
  }
  return found;
}

}  // namespace blockyard::opencl
