// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/tensor/detail/contract_geometry.h"
#include "blockyard/tensor/detail/panel_kernels.h"

namespace blockyard::tensor::detail {

/// Rows of a block at most: their places are kept on the stack.
inline constexpr Extent packed_rows_limit = 8192;
/// Depth that is summed in registers before it is added to the result.
inline constexpr Extent packed_depth_limit = 320;

/// The packed product of the indexes that are not looped over. The index that is fastest in the
/// result must not be looped over; `swapped` tells that it stands in the right operand, so that
/// left and right change places.
struct PackedChoice {
  PackedSteps steps;
  bool swapped = false;
};
[[nodiscard]] PackedChoice choose_packed(const ContractGeometry& geometry, IndexSet looped,
                                         Extent element_bytes) noexcept;

/// Elements of workspace that run_packed needs.
[[nodiscard]] Extent packed_workspace(const PackedSteps& steps, Extent element_bytes) noexcept;

/// result = alpha * left * right + beta * result; beta == 0 does not read the result.
template <class R>
void run_packed(const PackedSteps& steps, const PanelKernels<R>& use, R alpha, const R* left,
                const R* right, R beta, R* result, R* workspace) noexcept;

}  // namespace blockyard::tensor::detail
