// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/device/kernel.h"

/// Kernels in all forms, for the contract tests.
namespace blockyard::device::contract {

/// y += a x. Arguments: y, x, a.
[[nodiscard]] Kernel saxpy();
/// new(i, j) = sum of the four neighbours of old(i, j) - 4 old(i, j), inside the edge of a plane
/// with `columns` columns. Arguments: new, old, columns.
[[nodiscard]] Kernel stencil();
/// x(i, j, k) = its number from 1 on. Arguments: x, n, j.
[[nodiscard]] Kernel numbered();
/// sums(group) = the sum of its elements. Arguments: sums, x, local memory of a number an item.
[[nodiscard]] Kernel group_sum();
/// x(i + 1) += x(i): elements that need each other, host form only. Argument: x.
[[nodiscard]] Kernel running_sum();

}  // namespace blockyard::device::contract
