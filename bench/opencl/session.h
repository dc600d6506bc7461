// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/opencl/cases.h"
#include "plugins/device_opencl/opencl.h"

namespace blockyard::bench {

/// The first OpenCL device with the memory and the kernels of the cases.
class Session {
 public:
  /// Throws opencl::Failure, as all functions here; std::runtime_error without a device.
  Session();

  [[nodiscard]] std::string name() const;
  [[nodiscard]] unsigned units() const;

  /// Puts the operands of a case on the device.
  void prepare(const Case& one, std::span<const float> a, std::span<const float> b);
  /// Runs it with `per` elements an item and waits; no group: as the driver likes.
  void run(const Case& one, std::size_t per, std::optional<std::size_t> group = {});
  /// The same with the operands copied in, and the results out.
  void run_copied(const Case& one, std::size_t per, std::span<const float> a,
                  std::span<const float> b, std::span<float> out);
  /// The same with the operands written, and the results read, in mapped memory.
  void run_mapped(const Case& one, std::size_t per, std::span<const float> a,
                  std::span<const float> b, std::span<float> out);
  [[nodiscard]] std::vector<float> results(const Case& one, std::size_t per);

  /// Builds all kernels from source, or from a binary if there is one, and launches the first.
  /// Returns the binary.
  std::vector<unsigned char> build(const std::vector<unsigned char>& binary);

 private:
  [[nodiscard]] static std::size_t items(const Case& one, std::size_t per) {
    return (one.elements + per - 1) / per;
  }
  void clear(const Case& one);
  void enqueue(const Case& one, std::size_t per, std::optional<std::size_t> group);

  cl_device_id device_;
  opencl::Context context_;
  opencl::Queue queue_;
  opencl::Program program_;
  opencl::Buffer a_, b_, out_;
};

}  // namespace blockyard::bench
