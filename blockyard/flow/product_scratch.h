// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "blockyard/flow/bind.h"

namespace blockyard::flow {

/// The most bytes that a product of the program takes while it is computed, besides the blocks it
/// names: operands brought into one piece and type, what a chain makes on its way, and room to
/// permute. For the longest segments. A product that has no order to be computed in counts nothing.
[[nodiscard]] std::int64_t product_scratch(const program::Program& program, const Tables& tables);

}  // namespace blockyard::flow
