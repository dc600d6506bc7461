// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace blockyard::bench {

/// One kernel in OpenCL C, and the same loop in C++. All read a and b and write out, f32; an item
/// works on `per` elements one after the other.
struct Case {
  const char* name;
  std::size_t elements;
  std::size_t results;  ///< 0: one for each element; else sums that are added up
  bool sums_items;      ///< each item leaves one sum; the host adds them
  void (*loop)(const float* a, const float* b, float* out, std::size_t begin, std::size_t end);
};

constexpr std::size_t matrix_extent = 256;
constexpr std::size_t bins = 64;

[[nodiscard]] const std::vector<Case>& cases();
/// OpenCL C of all of them: kernel void NAME(a, b, out, elements, per).
[[nodiscard]] const char* kernel_source();

/// The whole case on `threads` threads; `out` has as many sums as threads where there are sums.
void run_on_threads(const Case& one, const float* a, const float* b, std::vector<float>& out,
                    unsigned threads);

}  // namespace blockyard::bench
