// SPDX-License-Identifier: Apache-2.0
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace blockyard::opencl {

/// A call of OpenCL that failed; stays inside the plug-in.
class Failure : public std::runtime_error {
 public:
  Failure(const char* call, cl_int code);
  [[nodiscard]] cl_int code() const noexcept { return code_; }

 private:
  cl_int code_;
};

inline void check(cl_int code, const char* call) {
  if (code != CL_SUCCESS) throw Failure(call, code);
}

/// Owns one reference to an object of OpenCL.
template <class Raw, cl_int(CL_API_CALL* retain)(Raw), cl_int(CL_API_CALL* release)(Raw)>
class Owner {
 public:
  Owner() = default;
  explicit Owner(Raw raw) noexcept : raw_(raw) {}
  Owner(const Owner& other) noexcept : raw_(other.raw_) {
    if (raw_ != nullptr) retain(raw_);
  }
  Owner(Owner&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Owner& operator=(Owner other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Owner() {
    if (raw_ != nullptr) release(raw_);
  }
  [[nodiscard]] Raw get() const noexcept { return raw_; }
  explicit operator bool() const noexcept { return raw_ != nullptr; }

 private:
  Raw raw_ = nullptr;
};
using Context = Owner<cl_context, clRetainContext, clReleaseContext>;
using Queue = Owner<cl_command_queue, clRetainCommandQueue, clReleaseCommandQueue>;
using Event = Owner<cl_event, clRetainEvent, clReleaseEvent>;
using Buffer = Owner<cl_mem, clRetainMemObject, clReleaseMemObject>;
using Program = Owner<cl_program, clRetainProgram, clReleaseProgram>;
using Kernel = Owner<cl_kernel, clRetainKernel, clReleaseKernel>;

/// A property of a device that is a number or a flag.
template <class T>
[[nodiscard]] T property(cl_device_id device, cl_device_info name) {
  T value{};
  check(clGetDeviceInfo(device, name, sizeof value, &value, nullptr), "clGetDeviceInfo");
  return value;
}
[[nodiscard]] std::string text_property(cl_device_id device, cl_device_info name);

/// All devices of all platforms that compute in f64, and compile OpenCL C 1.2. Empty without
/// OpenCL.
[[nodiscard]] std::vector<cl_device_id> find_devices();

}  // namespace blockyard::opencl
