// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "blockyard/fabric/element.h"

namespace blockyard::fabric {

/// A region of rows of `row_bytes`, counts[0] of them far_strides[0] bytes apart, counts[1] of
/// these groups far_strides[1] apart, and so on, in the memory of a rank; the same rows
/// near_strides apart in the caller's. Strides may be negative.
struct Strided {
  static constexpr std::size_t max_levels = 7;

  std::size_t row_bytes = 0;
  std::size_t levels = 0;
  std::array<std::int64_t, max_levels> counts{};
  std::array<std::int64_t, max_levels> far_strides{};
  std::array<std::int64_t, max_levels> near_strides{};

  [[nodiscard]] std::size_t byte_count() const noexcept {
    std::size_t bytes = row_bytes;
    for (std::size_t k = 0; k < levels; ++k) bytes *= static_cast<std::size_t>(counts[k]);
    return bytes;
  }
  /// Adds a level of `count` rows or groups of rows. Levels contiguous in both memories
  /// are merged into one row, so call from the innermost level outwards.
  void add(std::int64_t count, std::int64_t far_stride, std::int64_t near_stride) noexcept;
};

/// Calls visit(far, near) with the beginning of each row.
template <class Far, class Near, class Visit>
void for_each_row(const Strided& rows, Far* far, Near* near, const Visit& visit) {
  if (rows.levels == 0) {
    visit(far, near);
    return;
  }
  std::array<std::int64_t, Strided::max_levels> at{};
  for (;;) {
    Far* f = far;
    Near* n = near;
    for (std::int64_t i = 0; i < rows.counts[0]; ++i) {
      visit(f, n);
      f += rows.far_strides[0];
      n += rows.near_strides[0];
    }
    std::size_t k = 1;
    for (; k < rows.levels; ++k) {
      far += rows.far_strides[k];
      near += rows.near_strides[k];
      if (++at[k] < rows.counts[k]) break;
      far -= rows.counts[k] * rows.far_strides[k];
      near -= rows.counts[k] * rows.near_strides[k];
      at[k] = 0;
    }
    if (k >= rows.levels) return;
  }
}

/// Copies all rows to the near memory, or from it.
void copy_to_near(const Strided& rows, const std::byte* far, std::byte* near) noexcept;
void copy_to_far(const Strided& rows, std::byte* far, const std::byte* near) noexcept;

/// to[i] += factor * from[i]; factor: of the element's type.
void add_scaled(Element element, void* to, const void* from, std::size_t count,
                const void* factor) noexcept;

}  // namespace blockyard::fabric
