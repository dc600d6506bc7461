// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "blockyard/super/form_plans.h"

namespace blockyard::super {

/// The checking mode with a device: at the first uses of each `execute` the device form runs next
/// to the host form, on copies of the operands, and the results are compared. One thread.
class FormCheck {
 public:
  static constexpr std::uint32_t uses_compared = 3;

  /// `device`: the one to compare with; null: there is none.
  FormCheck(std::function<device::Device*()> device, std::size_t statements)
      : device_(std::move(device)), uses_(statements, 0) {}

  /// Before the host form: runs the device form, if there is a device for it.
  void run(const Entry& entry, std::size_t statement, std::span<const Operand> operands,
           const Context& context);
  /// After the host form. Throws Error{bad_input} that says where the results differ.
  void compare(const Entry& entry, std::span<const Operand> operands);

 private:
  std::function<device::Device*()> device_;
  std::vector<std::uint32_t> uses_;              ///< by statement
  std::vector<std::vector<std::byte>> results_;  ///< by operand; empty: not compared
  FormPlans plans_;
};

}  // namespace blockyard::super
