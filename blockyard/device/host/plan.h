// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>

#include "blockyard/device/abi.h"
#include "blockyard/device/host/kernel.h"
#include "blockyard/device/host/whole.h"
#include "blockyard/tensor/contract.h"

namespace blockyard::device::host {

/// An operation of the ABI in terms of the tensor room. Immutable; any thread.
class Plan {
 public:
  /// Throws Error{bad_input} with the fault of the operation.
  explicit Plan(const blockyard_operation& operation);
  /// False: no library here supports the operation.
  [[nodiscard]] bool is_usable() const noexcept {
    return (!whole_ || whole_->is_usable()) && (!kernel_ || kernel_->is_usable());
  }
  [[nodiscard]] std::uint64_t workspace_bytes() const;
  /// pool: of kernels.
  void run(const blockyard_run& run, Pool& pool) const;

 private:
  template <tensor::Element T>
  void run_as(const blockyard_run& run) const;
  void prepare_permutation(const blockyard_operation& operation);
  void prepare_contraction(const blockyard_operation& operation);

  std::uint32_t kind_;
  std::uint32_t element_;
  tensor::Conjugate conjugate_left_;
  tensor::Conjugate conjugate_right_;
  tensor::Shape result_;
  tensor::Shape left_;
  std::array<int, blockyard_max_order> to_{};
  std::optional<tensor::ContractPlan> contraction_;  // of contract and dot
  std::optional<Whole> whole_;                       // of the kinds of abi_kinds.h
  std::optional<Kernel> kernel_;
};

/// True if the host knows the kind and the element type.
[[nodiscard]] bool is_supported(const blockyard_operation& operation) noexcept;

}  // namespace blockyard::device::host
