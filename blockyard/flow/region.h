// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "blockyard/flow/naming.h"
#include "blockyard/tensor/shape.h"

namespace blockyard::flow {

/// A region of a contiguous array: low and high segment of each index.
using RegionBounds = std::array<std::int64_t, 2 * array::max_order>;

/// The region that a selector means: `lows_highs` has the bounds of the positions without an index.
/// Throws Error{bad_input} if one is not within the array.
[[nodiscard]] RegionBounds region_of(const Naming& naming, const program::Selector& selector,
                                     std::span<const std::int64_t> values,
                                     std::span<const std::int64_t> lows_highs);
/// REQUIRES: it is within the grid.
[[nodiscard]] tensor::Shape shape_of(const array::Grid& grid, const RegionBounds& region);
[[nodiscard]] bool is_inside(const RegionBounds& inner, const RegionBounds& outer,
                             std::size_t order) noexcept;
[[nodiscard]] bool overlap(const RegionBounds& one, const RegionBounds& other,
                           std::size_t order) noexcept;
/// "a[1:2,3]"
[[nodiscard]] std::string print_region(const std::string& array,
                                       std::span<const std::int64_t> bounds);

}  // namespace blockyard::flow
