// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "blockyard/device/abi_kernel.h"

namespace blockyard::device::sim {

/// A run of a kernel whose arguments were found; values are copied.
struct KernelCall {
  struct Argument {
    std::byte* memory = nullptr;
    std::uint64_t local_bytes = 0;
    std::array<std::byte, blockyard_max_value_bytes> value{};
  };
  std::vector<Argument> arguments;
  std::array<std::int64_t, 3> extent{1, 1, 1};
  std::int64_t step = 1;   ///< of the first extent: 1, or the elements of a group
  std::uint64_t seed = 0;  ///< of the order; 0: as they are numbered
};

/// The host form of a kernel, one element after the other (with groups: one group), in an order
/// that a seed decides: a function whose elements depend on each other gives other results here.
class Kernel {
 public:
  explicit Kernel(const blockyard_kernel& kernel)
      : function_(kernel.host),
        order_(kernel.order),
        flags_(kernel.operation.flags),
        parameters_(kernel.parameters, kernel.parameters + kernel.parameter_count) {}

  /// The fault of a run, or null.
  [[nodiscard]] const char* fault(const blockyard_kernel_run& run) const;
  /// find(argument): where memory is, or null. Nothing if an argument is not found.
  template <class Find>
  [[nodiscard]] std::optional<KernelCall> call(const blockyard_kernel_run& run, const Find& find,
                                               std::uint64_t seed) const {
    KernelCall made = begin(run, seed);
    for (std::size_t n = 0; n < parameters_.size(); ++n)
      if (parameters_[n].kind == BLOCKYARD_MEMORY && run.arguments[n].bytes > 0) {
        made.arguments[n].memory = find(run.arguments[n]);
        if (made.arguments[n].memory == nullptr) return std::nullopt;
      }
    return made;
  }
  void run(const KernelCall& call) const;

 private:
  [[nodiscard]] KernelCall begin(const blockyard_kernel_run& run, std::uint64_t seed) const;

  blockyard_host_kernel function_;
  std::uint32_t order_;
  std::uint32_t flags_;
  std::vector<blockyard_parameter> parameters_;
};

}  // namespace blockyard::device::sim
