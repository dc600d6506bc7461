// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "blockyard/base/integer.h"

namespace blockyard::array {

using base::Extent;

/// Parts `total` elements into the fewest segments of at most `at_most` elements, as even as can
/// be, longer ones first. None if total is 0. REQUIRES: total >= 0, at_most >= 1.
[[nodiscard]] std::vector<Extent> even_segments(Extent total, Extent at_most);

/// The default for the most elements that a segment of `total` elements should have:
/// `usual`, or less for a small number of them, so that there are three segments and so work
/// for several workers, but not less than 8.
[[nodiscard]] Extent automatic_segment(Extent total, Extent usual);

}  // namespace blockyard::array
