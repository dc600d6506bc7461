// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/sim/kernel.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "blockyard/device/abi_kernel_check.h"

namespace blockyard::device::sim {

const char* Kernel::fault(const blockyard_kernel_run& run) const {
  return blockyard_kernel_run_fault(order_, flags_, parameters_.data(),
                                    static_cast<std::uint32_t>(parameters_.size()), &run);
}

KernelCall Kernel::begin(const blockyard_kernel_run& run, std::uint64_t seed) const {
  KernelCall made;
  made.arguments.resize(parameters_.size());
  for (std::size_t n = 0; n < parameters_.size(); ++n) {
    if (parameters_[n].kind == BLOCKYARD_LOCAL)
      made.arguments[n].local_bytes = run.arguments[n].bytes;
    if (parameters_[n].kind == BLOCKYARD_VALUE)
      std::memcpy(made.arguments[n].value.data(), run.arguments[n].value, run.arguments[n].bytes);
  }
  std::copy_n(run.extent, order_, made.extent.begin());
  if ((flags_ & blockyard_groups) != 0) made.step = run.group * run.per_item;
  made.seed = seed;
  return made;
}

void Kernel::run(const KernelCall& call) const {
  const auto [n, j, k] = call.extent;
  const std::int64_t in_row = (n + call.step - 1) / call.step;
  std::vector<std::uint32_t> order(static_cast<std::size_t>(in_row * j * k));
  std::iota(order.begin(), order.end(), 0U);
  if (call.seed != 0) std::shuffle(order.begin(), order.end(), std::mt19937_64(call.seed));
  std::vector<std::vector<std::byte>> locals;
  std::vector<void*> arguments;
  for (std::size_t at = 0; at < parameters_.size(); ++at) {
    const KernelCall::Argument& one = call.arguments[at];
    if (parameters_[at].kind == BLOCKYARD_MEMORY)
      arguments.push_back(one.memory);
    else if (parameters_[at].kind == BLOCKYARD_VALUE)
      arguments.push_back(const_cast<std::byte*>(one.value.data()));
    else
      arguments.push_back(locals.emplace_back(one.local_bytes).data());
  }
  const bool has_groups = (flags_ & blockyard_groups) != 0;
  for (const std::int64_t unit : order) {
    const std::int64_t row = unit / in_row, at = unit % in_row;
    blockyard_range range{at * call.step, 0, row % j, row / j, has_groups ? at : 0};
    range.count = std::min(call.step, n - range.first);
    function_(&range, arguments.data());
  }
}

}  // namespace blockyard::device::sim
