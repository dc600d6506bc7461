// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "blockyard/device/abi_kernel_check.h"
#include "plugins/common/edge_calls.h"

namespace blockyard::plugin {

/// What a plug-in keeps of a kernel (abi_kernel.h) once its text is compiled.
struct KernelForm {
  std::uint32_t order = 1;
  std::uint32_t flags = 0;
  std::vector<blockyard_parameter> parameters;  ///< without their types

  KernelForm() = default;
  explicit KernelForm(const blockyard_kernel& kernel)
      : order(kernel.order),
        flags(kernel.operation.flags),
        parameters(kernel.parameters, kernel.parameters + kernel.parameter_count) {
    for (blockyard_parameter& parameter : parameters) parameter.type = nullptr;
  }
  [[nodiscard]] bool has_groups() const noexcept { return (flags & blockyard_groups) != 0; }
  [[nodiscard]] const char* fault(const blockyard_kernel_run& run) const {
    return blockyard_kernel_run_fault(order, flags, parameters.data(),
                                      static_cast<std::uint32_t>(parameters.size()), &run);
  }
};

/// How a grid is cut: `group` items that work together, of `per_item` elements of the first extent
/// each; and the extents that the run has not are 1.
struct Launch {
  std::array<std::int64_t, 3> extent{1, 1, 1};
  std::int64_t group = 1;
  std::int64_t per_item = 1;

  /// Items along the first extent, in whole groups.
  [[nodiscard]] std::int64_t items() const noexcept { return groups() * group; }
  [[nodiscard]] std::int64_t groups() const noexcept {
    const std::int64_t elements = group * per_item;
    return (extent[0] + elements - 1) / elements;
  }
};

/// As the run says; where it does not, `group` and `per_item` are 0.
[[nodiscard]] inline Launch launch_of(const KernelForm& form, const blockyard_kernel_run& run) {
  Launch launch;
  std::copy_n(run.extent, form.order, launch.extent.begin());
  launch.group = run.group;
  launch.per_item = run.per_item > 0 ? std::min(run.per_item, launch.extent[0]) : 0;
  if (form.has_groups()) launch.per_item = run.per_item;  // it numbers the groups
  return launch;
}

/// Throws Refusal if its groups are larger than this kernel can have.
inline void check_group(const Launch& launch, std::int64_t most_items) {
  if (launch.group > most_items)
    throw Refusal("a group of this kernel has at most " + std::to_string(most_items) +
                  " items on this device");
}

/// "name<number>" for each parameter, as `write` says, with commas between.
template <class Write>
[[nodiscard]] std::string listed(const blockyard_kernel& kernel, const Write& write) {
  std::string text;
  for (std::uint32_t n = 0; n < kernel.parameter_count; ++n)
    text += ", " + write(kernel.parameters[n], std::to_string(n));
  return text;
}

/// Lines that do not compile if a value's type has another size than its parameter.
[[nodiscard]] inline std::string size_checks(const blockyard_kernel& kernel) {
  std::string text;
  for (std::uint32_t n = 0; n < kernel.parameter_count; ++n)
    if (kernel.parameters[n].kind == BLOCKYARD_VALUE)
      text += "typedef char blockyard_size_of_argument_" + std::to_string(n + 1) + "[sizeof(" +
              kernel.parameters[n].type + ") == " + std::to_string(kernel.parameters[n].bytes) +
              " ? 1 : -1];\n";
  return text;
}

}  // namespace blockyard::plugin
