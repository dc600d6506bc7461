// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "blockyard/super/form_plans.h"
#include "blockyard/worker/detail/worker_device.h"

namespace blockyard::worker::detail {

/// The checking mode with a device: at the first uses of each `execute` the device form runs beside
/// the host form, on copies of the operands, and the results are compared. One thread.
class FormCheck {
 public:
  static constexpr std::uint32_t uses_compared = 3;

  FormCheck(WorkerDevice& device, std::size_t statements) : device_(device), uses_(statements, 0) {}

  /// Before the host form: runs the device form, if there is a device for it.
  void run(const super::Entry& entry, std::int32_t pc, std::span<const super::Operand> operands,
           const super::Context& context);
  /// After the host form. Throws Error{bad_input} that says where the results differ.
  void compare(const super::Entry& entry, std::span<const super::Operand> operands);

 private:
  WorkerDevice& device_;
  std::vector<std::uint32_t> uses_;              ///< by pc
  std::vector<std::vector<std::byte>> results_;  ///< by operand; empty: not compared
  super::FormPlans plans_;
};

}  // namespace blockyard::worker::detail
