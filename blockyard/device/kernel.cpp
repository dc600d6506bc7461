// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/kernel.h"

#include <algorithm>

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
