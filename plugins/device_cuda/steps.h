// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plugins/common/matrix_form.h"
#include "plugins/common/operation.h"
#include "plugins/device_cuda/kernels.h"

/// What an operation comes to, and which GPUs there are, decided without a GPU.
namespace blockyard::cuda {

/// The compute capability, 75 for 7.5, from which on the kernels have code: the first of
/// CMAKE_CUDA_ARCHITECTURES.
constexpr int least_capability = 75;
/// The numbers of the GPUs that are counted, by their compute capabilities: an old card beside
/// others, for a screen perhaps, is none of them. If all are old they stay, and opening one says
/// why it is refused.
[[nodiscard]] std::vector<int> usable_gpus(std::span<const int> capabilities);

struct Steps {
  blockyard_operation operation{};
  Walk walk;                ///< of permute and axpby
  plugin::MatrixForm form;  ///< of contract and dot
  std::uint64_t workspace_bytes = 0;
  /// cuTENSOR is asked first. Not where a contraction is a product of matrices that lie so already,
  /// which is cuBLAS's, nor where tiles of ours read and write along the memory of both sides.
  bool suits_cutensor = false;
};
[[nodiscard]] Steps steps_of(const blockyard_operation& operation, plugin::Form form);

/// Axes with strides of two sides as kernels walk them, fastest in `to` first.
[[nodiscard]] Walk walk_of(plugin::Axes axes, std::size_t to, std::size_t from);
[[nodiscard]] bool is_complex(std::uint32_t element) noexcept;
/// Whether an operand (of_left, of_right) is to be conjugated. Real numbers are their own
/// conjugates.
[[nodiscard]] bool conjugates(const blockyard_operation& operation, std::size_t side) noexcept;

}  // namespace blockyard::cuda
