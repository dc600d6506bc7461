// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "blockyard/block/view.h"

namespace blockyard::block {

/// Every element NaN with a payload of ours: what the checking mode fills new blocks with.
void fill_uninitialised(std::span<std::byte> values, ElementType type) noexcept;
/// Whether an element is still as fill_uninitialised left it.
[[nodiscard]] bool is_uninitialised(View view) noexcept;

}  // namespace blockyard::block
