// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "blockyard/blas/level3.h"

namespace blockyard::blas {

/// Calls that together are this one, in this order, each with about half of the operand that all
/// parts of a result share: for devices that have no room for it. Products of general matrices, and
/// calls of the same routine. Empty: it is too small to be worth it.
template <class T>
[[nodiscard]] std::vector<Call<T>> halves_of(const Call<T>& call);

}  // namespace blockyard::blas
