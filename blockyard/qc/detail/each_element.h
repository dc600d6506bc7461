// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "blockyard/base/error.h"
#include "blockyard/base/integer.h"

namespace blockyard::qc::detail {

using base::Extent;

inline constexpr std::size_t most_indexes = 8;

/// Numbers inside a block, from 0; 0 past its order.
using Position = std::array<Extent, most_indexes>;

/// 1, e0, e0 e1, ... of a dense block.
[[nodiscard]] inline Position strides_of(std::span<const Extent> extents) {
  base::require(extents.size() <= most_indexes, "at most eight indexes");
  Position strides{};
  Extent stride = 1;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    strides[k] = stride;
    stride *= extents[k];
  }
  return strides;
}

/// Calls  visit(position, element)  for every element in the order of memory.
template <class Visit>
void each_element(std::span<const Extent> extents, Visit&& visit) {
  base::require(extents.size() <= most_indexes, "at most eight indexes");
  std::size_t count = 1;
  for (const Extent extent : extents) count *= static_cast<std::size_t>(extent);
  Position at{};
  for (std::size_t element = 0; element < count; ++element) {
    visit(static_cast<const Position&>(at), element);
    for (std::size_t k = 0; k < extents.size() && ++at[k] == extents[k]; ++k) at[k] = 0;
  }
}

}  // namespace blockyard::qc::detail
