// SPDX-License-Identifier: Apache-2.0
#include "blockyard/array/even_segments.h"

#include <algorithm>

#include "blockyard/base/checked.h"

namespace blockyard::array {

std::vector<Extent> even_segments(Extent total, Extent at_most) {
  base::require(total >= 0 && at_most >= 1, "segments are parts of something");
  const Extent count = base::divided_up(total, at_most);
  std::vector<Extent> extents;
  for (Extent k = 0; k < count; ++k) extents.push_back(total / count + (k < total % count ? 1 : 0));
  return extents;
}

Extent automatic_segment(Extent total, Extent usual) {
  constexpr Extent least = 8;
  constexpr Extent wanted_count = 3;
  return std::min(usual, std::max(least, (total + wanted_count - 1) / wanted_count));
}

}  // namespace blockyard::array
