// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/host/kernel.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/device/abi_kernel_check.h"

namespace blockyard::device::host {
namespace {

using base::Errc;
using base::Error;

void require_none(const char* fault) {
  if (fault != nullptr) throw Error(Errc::bad_input, fault);
}

std::int64_t pieces(std::int64_t extent, std::int64_t of) { return (extent + of - 1) / of; }

/// Local memory of the groups that one thread runs, one after the other.
class LocalMemory {
 public:
  /// Puts what the parameters want into `arguments`.
  void lay_out(std::span<const blockyard_parameter> parameters,
               std::span<const blockyard_argument> given, std::span<void*> arguments) {
    std::size_t used = 0;
    for (std::size_t n = 0; n < parameters.size(); ++n) {
      if (parameters[n].kind != BLOCKYARD_LOCAL) continue;
      arguments[n] = bytes_.data() + used;
      used += (given[n].bytes + alignment - 1) / alignment * alignment;
    }
  }

 private:
  static constexpr std::size_t alignment = 64;
  alignas(alignment) std::array<std::byte, blockyard_max_local_bytes +
                                               alignment * blockyard_max_parameters> bytes_;
};

}  // namespace

/// The extents of a run, with 1 for those that the kernel has not, and its groups.
struct Kernel::Grid {
  std::int64_t n = 1, j = 1, k = 1;
  std::int64_t group_elements = 0;  ///< along the first extent; 0: no groups

  [[nodiscard]] std::int64_t elements() const { return n * j * k; }
  [[nodiscard]] std::int64_t groups() const { return pieces(n, group_elements) * j * k; }
};

Kernel::Kernel(const blockyard_kernel& kernel)
    : function_(kernel.host), order_(kernel.order), flags_(kernel.operation.flags) {
  require_none(blockyard_kernel_fault(&kernel));
  parameters_.assign(kernel.parameters, kernel.parameters + kernel.parameter_count);
  for (blockyard_parameter& parameter : parameters_) parameter.type = nullptr;
}

/// Other threads are woken for what takes longer than that.
bool Kernel::is_shared(std::int64_t elements) const noexcept {
  constexpr double least_seconds = 5e-5, guessed_seconds = 2e-8;
  const double known = element_seconds_.load(std::memory_order_relaxed);
  return static_cast<double>(elements) * (known > 0 ? known : guessed_seconds) > least_seconds;
}

void Kernel::run(const blockyard_kernel_run& run, Pool& pool) const {
  const auto count = static_cast<std::uint32_t>(parameters_.size());
  require_none(blockyard_kernel_run_fault(order_, flags_, parameters_.data(), count, &run));
  const std::int64_t elements = blockyard_grid_elements(order_, &run);
  if (elements == 0) return;
  std::array<void*, blockyard_max_parameters> arguments{};
  for (std::size_t n = 0; n < parameters_.size(); ++n)
    arguments[n] = parameters_[n].kind == BLOCKYARD_VALUE
                       ? const_cast<void*>(run.arguments[n].value)
                       : reinterpret_cast<void*>(run.arguments[n].address);
  const std::span<void* const> all(arguments.data(), parameters_.size());
  Grid grid{run.extent[0], order_ > 1 ? run.extent[1] : 1, order_ > 2 ? run.extent[2] : 1};
  const bool has_groups = (flags_ & blockyard_groups) != 0;
  if (has_groups) grid.group_elements = run.group * run.per_item;
  const auto body = [&](std::int64_t begin, std::int64_t end) {
    if (has_groups)
      run_groups(grid, run, all, begin, end);
    else
      run_elements(grid, all, begin, end);
  };
  const std::int64_t units = has_groups ? grid.groups() : elements;
  const bool shares = is_shared(elements);
  const double begin = base::now_seconds();
  if (shares)
    pool.share(units, body);
  else
    body(0, units);
  const double seconds = (base::now_seconds() - begin) * (shares ? pool.threads() : 1);
  element_seconds_.store(seconds / static_cast<double>(elements), std::memory_order_relaxed);
}

/// Elements begin .. end - 1 of the whole grid, first extent fastest: one call for each row.
void Kernel::run_elements(const Grid& grid, std::span<void* const> arguments, std::int64_t begin,
                          std::int64_t end) const {
  while (begin < end) {
    const std::int64_t row = begin / grid.n;
    blockyard_range range{begin % grid.n, 0, row % grid.j, row / grid.j, 0};
    range.count = std::min(grid.n - range.first, end - begin);
    function_(&range, arguments.data());
    begin += range.count;
  }
}

void Kernel::run_groups(const Grid& grid, const blockyard_kernel_run& run,
                        std::span<void* const> arguments, std::int64_t begin,
                        std::int64_t end) const {
  std::array<void*, blockyard_max_parameters> own{};
  std::ranges::copy(arguments, own.begin());
  LocalMemory local;
  local.lay_out(parameters_, {run.arguments, parameters_.size()}, own);
  const std::int64_t in_row = pieces(grid.n, grid.group_elements);
  for (; begin < end; ++begin) {
    const std::int64_t row = begin / in_row, group = begin % in_row;
    blockyard_range range{group * grid.group_elements, 0, row % grid.j, row / grid.j, group};
    range.count = std::min(grid.group_elements, grid.n - range.first);
    function_(&range, own.data());
  }
}

}  // namespace blockyard::device::host
