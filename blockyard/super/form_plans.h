// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "blockyard/device/device.h"
#include "blockyard/device/kernel.h"
#include "blockyard/super/device_form.h"

namespace blockyard::super {

/// Plans of the forms of one device. The entries outlive it. One thread.
class FormPlans {
 public:
  /// The plan for operands of these kinds: blocks and arrays, or numbers. Nothing: the device has
  /// no use for the form. Throws Error{bad_input} with the text of the device's compiler.
  [[nodiscard]] const std::optional<device::Plan>& of(device::Device& device, const Entry& entry,
                                                      std::span<const Operand> operands);

 private:
  std::map<std::pair<const Entry*, std::vector<bool>>, std::optional<device::Plan>> plans_;
};

/// The arguments of a run of such a plan. `addresses` has one for each operand, of which those of
/// numbers count for nothing.
void add_arguments(device::KernelRun& run, const Entry& entry, std::span<const Operand> operands,
                   std::span<const device::Address> addresses, const DeviceCall& call);

}  // namespace blockyard::super
