// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "blockyard/base/integer.h"

namespace blockyard::array {

using base::Extent;

/// Most axes of an array whose elements are reached one by one (Global Arrays have up to 7).
inline constexpr std::size_t max_axes = 7;

/// One number for each axis, first axis fastest; those past the last axis are 0.
using Indexes = std::array<Extent, max_axes>;

/// The elements first[d] .. end[d] - 1 of each axis d.
struct Box {
  std::size_t axes = 0;
  Indexes first{};
  Indexes end{};

  [[nodiscard]] Extent extent(std::size_t d) const noexcept { return end[d] - first[d]; }
  [[nodiscard]] Extent element_count() const noexcept {
    Extent count = 1;
    for (std::size_t d = 0; d < axes; ++d) count *= extent(d) > 0 ? extent(d) : 0;
    return count;
  }
  [[nodiscard]] bool is_empty() const noexcept { return element_count() == 0; }
  [[nodiscard]] bool contains(const Indexes& at) const noexcept {
    for (std::size_t d = 0; d < axes; ++d)
      if (at[d] < first[d] || at[d] >= end[d]) return false;
    return true;
  }
  friend bool operator==(const Box&, const Box&) = default;
};

/// All elements of an array with these extents.
[[nodiscard]] inline Box whole(std::span<const Extent> extents) noexcept {
  Box box{.axes = extents.size()};
  for (std::size_t d = 0; d < extents.size(); ++d) box.end[d] = extents[d];
  return box;
}

/// The elements that both have; empty if there are none. REQUIRES: as many axes.
[[nodiscard]] inline Box common(const Box& a, const Box& b) noexcept {
  Box both{.axes = a.axes};
  for (std::size_t d = 0; d < a.axes; ++d) {
    both.first[d] = a.first[d] > b.first[d] ? a.first[d] : b.first[d];
    both.end[d] = a.end[d] < b.end[d] ? a.end[d] : b.end[d];
    if (both.end[d] < both.first[d]) both.end[d] = both.first[d];
  }
  return both;
}

/// Strides, in elements, of a dense array with the extents of `box`.
[[nodiscard]] inline Indexes dense_strides(const Box& box) noexcept {
  Indexes strides{};
  Extent next = 1;
  for (std::size_t d = 0; d < box.axes; ++d) {
    strides[d] = next;
    next *= box.extent(d);
  }
  return strides;
}

/// Calls visit(at) for each element of the box, first axis fastest.
template <class Visit>
void for_each_index(const Box& box, const Visit& visit) {
  if (box.is_empty()) return;
  Indexes at = box.first;
  for (;;) {
    visit(at);
    std::size_t d = 0;
    while (d < box.axes && ++at[d] == box.end[d]) {
      at[d] = box.first[d];
      ++d;
    }
    if (d == box.axes) return;
  }
}

}  // namespace blockyard::array
