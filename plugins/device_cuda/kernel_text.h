// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "plugins/common/kernel.h"

namespace blockyard::cuda {

/// The user's text, its lines numbered as the user has them, and after it the kernel
/// `blockyard_entry`, which gives each thread its elements. With groups every thread calls, for
/// barriers.
[[nodiscard]] inline std::string kernel_text(const blockyard_kernel& kernel) {
  const auto parameter = [](const blockyard_parameter& one, const std::string& n) {
    if (one.kind == BLOCKYARD_LOCAL) return "unsigned a" + n;
    return std::string(one.type) + (one.kind == BLOCKYARD_MEMORY ? "* a" : " a") + n;
  };
  const auto argument = [](const blockyard_parameter& one, const std::string& n) {
    if (one.kind != BLOCKYARD_LOCAL) return "a" + n;
    return "(" + std::string(one.type) + "*)(blockyard_local + a" + n + ")";
  };
  const std::string entry = kernel.entry;
  std::string text =
      "#line 1 \"" + entry + "\"\n" + kernel.cuda + "\n#line 1 \"arguments of " + entry + "\"\n" +
      plugin::size_checks(kernel) +
      "extern \"C\" __global__ void blockyard_entry(long long n, long long n1, long long per_item" +
      plugin::listed(kernel, parameter) +
      ") {\n"
      "  extern __shared__ __align__(16) char blockyard_local[];\n"
      "  const long long groups = (n + blockDim.x * per_item - 1) / (blockDim.x * per_item);\n"
      "  const long long group = blockIdx.x % groups, row = blockIdx.x / groups;\n"
      "  const long long first = (group * blockDim.x + threadIdx.x) * per_item;\n"
      "  const long long left = n - first;\n"
      "  const long long count = left < 0 ? 0 : left < per_item ? left : per_item;\n"
      "  (void)blockyard_local;\n  (void)row;\n  (void)n1;\n";
  if ((kernel.operation.flags & blockyard_groups) == 0) text += "  if (count == 0) return;\n";
  text += "  " + entry + "(first, count";
  if (kernel.order > 1) text += ", row % n1";
  if (kernel.order > 2) text += ", row / n1";
  return text + plugin::listed(kernel, argument) + ");\n}\n";
}

}  // namespace blockyard::cuda
