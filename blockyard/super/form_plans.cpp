// SPDX-License-Identifier: Apache-2.0
#include "blockyard/super/form_plans.h"

#include <fmt/format.h>

#include <array>

namespace blockyard::super {

using base::Error;

namespace {

static_assert(DeviceCall::most_value_bytes == blockyard_max_value_bytes);

constexpr std::array<const char*, array::element_type_count> names_in_texts = {"double", "float",
                                                                               "double2", "float2"};

bool is_number(const Operand& operand) noexcept { return operand.extents.empty(); }

device::Kernel kernel_of(const DeviceForm& form, std::span<const Operand> operands) {
  device::Kernel kernel;
  kernel.entry = form.entry;
  kernel.order = form.order;
  for (const Operand& operand : operands)
    kernel.parameters.push_back({is_number(operand) ? BLOCKYARD_VALUE : BLOCKYARD_MEMORY,
                                 static_cast<std::uint32_t>(array::bytes_of(operand.type)),
                                 names_in_texts[static_cast<std::size_t>(operand.type)]});
  for (const DeviceForm::Value& value : form.values)
    kernel.parameters.push_back({BLOCKYARD_VALUE, value.bytes, value.type});
  kernel.host = form.host;
  kernel.opencl = form.opencl;
  kernel.cuda = form.cuda;
  kernel.ptx = form.ptx;
  return kernel;
}

}  // namespace

const std::optional<device::Plan>& FormPlans::of(device::Device& device, const Entry& entry,
                                                 std::span<const Operand> operands) {
  std::vector<bool> are_numbers;
  for (const Operand& operand : operands) are_numbers.push_back(is_number(operand));
  auto key = std::pair(&entry, std::move(are_numbers));
  if (const auto found = plans_.find(key); found != plans_.end()) return found->second;
  try {
    auto plan = device.open_kernel(kernel_of(*entry.device, operands));
    return plans_.emplace(std::move(key), std::move(plan)).first->second;
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("the device form of super instruction '{}': {}",
                                          entry.name, error.what()));
  }
}

void add_arguments(device::KernelRun& run, const Entry& entry, std::span<const Operand> operands,
                   std::span<const device::Address> addresses, const DeviceCall& call) {
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const Operand& operand = operands[k];
    if (is_number(operand))
      run.value_bytes(operand.bytes());
    else
      run.memory(addresses[k],
                 element_count(operand) * static_cast<Extent>(array::bytes_of(operand.type)));
  }
  for (std::size_t k = 0; k < call.values.size(); ++k)
    run.value_bytes(std::span(call.values[k]).first(entry.device->values[k].bytes));
}

}  // namespace blockyard::super
