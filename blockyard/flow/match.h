// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "blockyard/program/program.h"

namespace blockyard::flow {

/// Which position of the source of a copy each position of the target takes; the rest has extent
/// 1.
struct Match {
  std::vector<std::size_t> to_positions;
  std::vector<std::size_t> from_positions;
  std::vector<int> permutation;  ///< of the matched source positions, in the order of the target
};

/// By name, each name that stands twice in order; names that differ in as many positions are paired
/// in order. If one position is a range of a region, all are paired in order.
[[nodiscard]] Match match_of(const program::Program& program, const program::Selector& to,
                             const program::Selector& from);

}  // namespace blockyard::flow
