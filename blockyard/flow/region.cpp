// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/region.h"

#include <fmt/format.h>

#include "blockyard/base/error.h"
#include "blockyard/flow/place.h"

namespace blockyard::flow {

RegionBounds region_of(const Naming& naming, const program::Selector& selector,
                       std::span<const std::int64_t> values,
                       std::span<const std::int64_t> lows_highs) {
  const array::Grid& grid = naming.tables.grids[static_cast<std::size_t>(selector.array)];
  RegionBounds bounds{};
  std::size_t next = 0;
  for (std::size_t k = 0; k < selector.indexes.size(); ++k) {
    std::int64_t low = 0;
    std::int64_t high = 0;
    if (selector.indexes[k] >= 0) {
      low = high = values[static_cast<std::size_t>(selector.indexes[k])];
      if (!grid.contains(k, low)) report_no_place(naming, selector, values, k);
    } else {
      low = lows_highs[next++];
      high = lows_highs[next++];
    }
    if (low > high || !grid.contains(k, low) || !grid.contains(k, high)) {
      const auto& axis = grid.axis(k);
      throw base::Error(
          base::Errc::bad_input,
          fmt::format("range {}:{} at position {} of contiguous array '{}' is not within its "
                      "segments {}:{}",
                      low, high, k + 1, naming.array(selector.array), axis.first(), axis.last()));
    }
    bounds[2 * k] = low;
    bounds[2 * k + 1] = high;
  }
  return bounds;
}

tensor::Shape shape_of(const array::Grid& grid, const RegionBounds& region) {
  std::array<Extent, array::max_order> extents{};
  for (std::size_t k = 0; k < grid.order(); ++k)
    extents[k] = grid.offset(k, region[2 * k + 1]) + grid.extent(k, region[2 * k + 1]) -
                 grid.offset(k, region[2 * k]);
  return tensor::Shape({extents.data(), grid.order()});
}

bool is_inside(const RegionBounds& inner, const RegionBounds& outer, std::size_t order) noexcept {
  for (std::size_t k = 0; k < order; ++k)
    if (inner[2 * k] < outer[2 * k] || inner[2 * k + 1] > outer[2 * k + 1]) return false;
  return true;
}

bool overlap(const RegionBounds& one, const RegionBounds& other, std::size_t order) noexcept {
  for (std::size_t k = 0; k < order; ++k)
    if (one[2 * k] > other[2 * k + 1] || other[2 * k] > one[2 * k + 1]) return false;
  return true;
}

std::string print_region(const std::string& array, std::span<const std::int64_t> bounds) {
  std::string text = array + "[";
  for (std::size_t k = 0; k < bounds.size(); k += 2) {
    if (k > 0) text += ",";
    text += bounds[k] == bounds[k + 1] ? fmt::format("{}", bounds[k])
                                       : fmt::format("{}:{}", bounds[k], bounds[k + 1]);
  }
  return text + "]";
}

}  // namespace blockyard::flow
