// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "blockyard/device/abi_kernel.h"
#include "blockyard/device/host/pool.h"

namespace blockyard::device::host {

/// The host form of a kernel (abi_kernel.h). Any thread.
class Kernel {
 public:
  /// Throws Error{bad_input} with the fault of the kernel.
  explicit Kernel(const blockyard_kernel& kernel);
  [[nodiscard]] bool is_usable() const noexcept { return function_ != nullptr; }
  /// Returns when it is done. Throws Error{bad_input} before any computation if the arguments
  /// do not fit.
  void run(const blockyard_kernel_run& run, Pool& pool) const;

 private:
  struct Grid;
  void run_elements(const Grid& grid, std::span<void* const> arguments, std::int64_t begin,
                    std::int64_t end) const;
  void run_groups(const Grid& grid, const blockyard_kernel_run& run,
                  std::span<void* const> arguments, std::int64_t begin, std::int64_t end) const;
  [[nodiscard]] bool is_shared(std::int64_t elements) const noexcept;

  blockyard_host_kernel function_;
  std::uint32_t order_;
  std::uint32_t flags_;
  std::vector<blockyard_parameter> parameters_;      ///< without their types
  mutable std::atomic<double> element_seconds_ = 0;  ///< of the last run, on one thread; 0: none
};

}  // namespace blockyard::device::host
