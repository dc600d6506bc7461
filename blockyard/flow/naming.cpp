// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/naming.h"

#include <array>

namespace blockyard::flow {

std::string Naming::block(const array::BlockId& id) const {
  const array::Grid& grid = tables.grids[static_cast<std::size_t>(id.array)];
  std::array<std::int64_t, array::max_order> segments{};
  const std::span used(segments.data(), grid.order());
  grid.segments_of(id.number, used);
  return array(id.array) + array::print_segments(used);
}

}  // namespace blockyard::flow
