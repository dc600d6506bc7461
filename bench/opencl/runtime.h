// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plugins/device_opencl/opencl.h"

namespace blockyard::bench {

using Extents = std::array<std::size_t, 3>;

/// A kernel argument: memory, a number of bytes of local memory, or a number.
struct Argument {
  std::array<std::byte, 8> bytes{};
  std::size_t size = 0;
  bool is_local = false;

  Argument(const opencl::Buffer& buffer) { set(buffer.get()); }
  Argument(int value) { set(value); }
  Argument(float value) { set(value); }
  static Argument local(std::size_t bytes);

 private:
  Argument() = default;
  template <class T>
  void set(T value) {
    size = sizeof value;
    std::copy_n(reinterpret_cast<const std::byte*>(&value), sizeof value, bytes.begin());
  }
};

/// The first OpenCL device with the kernels of published_kernels.h.
class Runtime {
 public:
  /// Throws opencl::Failure, as all functions here; std::runtime_error if there is no device.
  Runtime();

  [[nodiscard]] std::string name() const;
  [[nodiscard]] unsigned units() const;
  [[nodiscard]] cl_command_queue queue() const noexcept { return queue_.get(); }
  [[nodiscard]] opencl::Buffer buffer(std::size_t bytes, cl_mem_flags flags = CL_MEM_READ_WRITE);
  [[nodiscard]] opencl::Buffer buffer(std::span<const float> values);
  [[nodiscard]] std::vector<float> read(const opencl::Buffer& from, std::size_t count);
  void write(const opencl::Buffer& to, std::span<const float> values);
  /// Maps and unmaps: what a program does that has its values there.
  void map(const opencl::Buffer& buffer, cl_map_flags flags, std::size_t bytes);
  /// Runs a kernel and waits. No group: as the driver likes.
  void run(const std::string& kernel, const std::vector<Argument>& arguments, Extents items,
           std::optional<Extents> group = {});

 private:
  cl_device_id device_;
  opencl::Context context_;
  opencl::Queue queue_;
  opencl::Program program_;
};

}  // namespace blockyard::bench
