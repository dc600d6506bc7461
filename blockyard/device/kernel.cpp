// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/kernel.h"

#include <algorithm>

#include "blockyard/base/error.h"

namespace blockyard::device {
namespace {

const char* text_or_null(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

}  // namespace

std::vector<blockyard_parameter> Kernel::c_parameters() const {
  std::vector<blockyard_parameter> made;
  for (const Parameter& one : parameters)
    made.push_back({static_cast<std::uint32_t>(one.kind), one.bytes, text_or_null(one.type)});
  return made;
}

blockyard_kernel Kernel::described(const std::vector<blockyard_parameter>& made) const {
  blockyard_kernel kernel{};
  kernel.operation.size = sizeof kernel;
  kernel.operation.kind = BLOCKYARD_KERNEL;
  kernel.operation.flags = has_groups ? std::uint32_t{blockyard_groups} : 0U;
  kernel.order = order;
  kernel.parameter_count = static_cast<std::uint32_t>(made.size());
  kernel.parameters = made.data();
  kernel.entry = entry.c_str();
  kernel.host = host;
  kernel.opencl = text_or_null(opencl);
  kernel.cuda = text_or_null(cuda);
  kernel.ptx = text_or_null(ptx);
  return kernel;
}

KernelRun& KernelRun::value_bytes(std::span<const std::byte> bytes) {
  base::require(bytes.size() <= blockyard_max_value_bytes, "a value has at most 64 bytes");
  std::ranges::copy(bytes, values_.emplace_back().begin());
  arguments_.push_back({0, bytes.size(), values_.back().data()});
  return *this;
}

blockyard_kernel_run KernelRun::described() const {
  blockyard_kernel_run run{};
  run.run.size = sizeof run;
  std::ranges::copy(extents_, run.extent);
  run.group = group_;
  run.per_item = per_item_;
  run.argument_count = static_cast<std::uint32_t>(arguments_.size());
  run.arguments = arguments_.data();
  return run;
}

}  // namespace blockyard::device
