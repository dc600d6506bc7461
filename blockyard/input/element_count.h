// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>

#include "blockyard/base/integer.h"

namespace blockyard::input {

/// Whether an array of these extents, none of them negative, has `count` elements. Extents from
/// a hostile file do not overflow.
[[nodiscard]] inline bool has_elements(std::span<const base::Extent> extents, base::Extent count) {
  if (std::ranges::find(extents, 0) != extents.end()) return count == 0;
  base::Extent product = 1;
  for (const base::Extent extent : extents) {
    if (extent > count / product) return false;
    product *= extent;
  }
  return product == count;
}

}  // namespace blockyard::input
