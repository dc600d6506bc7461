// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plugins/common/transform.h"
#include "plugins/device_opencl/opencl.h"

namespace blockyard::opencl {

/// The kernels of fft.cl for one precision. Not for two threads at once.
struct FftKernels {
  Program program;
  Kernel pass2, pass3, pass4, pass5, pass8, pass_any, move, chirp;
};
[[nodiscard]] FftKernels build_fft_kernels(cl_context context, cl_device_id device, bool is_single,
                                           const std::string& cache);

/// A prepared transform: what each kernel does, in order. The first reads left, the last writes
/// result, those between use two parts of the workspace in turn.
struct Fft {
  struct Step {
    std::int64_t radix = 0;  ///< 0: a move
    std::int64_t inner = 1, from = 1, to = 1, outer = 1, done = 1;
    bool is_from_real = false, is_to_real = false;
    Buffer roots;  ///< of a chirp: what elements are multiplied with
    int shift = 0;
    bool is_chirp = false;  ///< a move that multiplies, and fills up with zeros
    double sign = 0;        ///< of a pass; 0: that of the transform
    [[nodiscard]] std::int64_t items() const noexcept;
  };
  bool is_single = false;
  double sign = 1;  ///< 1: exp(-i...)
  std::vector<Step> steps;
  std::uint64_t part_elements = 0;  ///< complex ones, of each part of the workspace
  [[nodiscard]] std::uint64_t workspace_bytes() const noexcept;

  /// A length with a prime factor for which passes do not pay goes by Bluestein's way: a
  /// convolution of a length that is a power of two. Throws Failure.
  [[nodiscard]] static Fft plan(const plugin::Transform& transform, cl_context context);
};

}  // namespace blockyard::opencl
