// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "blockyard/array/axis.h"

namespace blockyard::array {

/// The blocks of an array: one per tuple of segment numbers, numbered with the first index fastest.
class Grid {
 public:
  Grid() = default;
  /// Throws Error{bad_input} if there are more than 2^62 blocks or elements.
  explicit Grid(std::vector<Axis> axes);

  [[nodiscard]] std::size_t order() const noexcept { return axes_.size(); }
  [[nodiscard]] const Axis& axis(std::size_t k) const noexcept { return axes_[k]; }
  [[nodiscard]] std::uint64_t block_count() const noexcept { return block_count_; }
  /// Elements of the whole array.
  [[nodiscard]] Extent element_count() const noexcept { return element_count_; }
  /// Elements of the largest block.
  [[nodiscard]] Extent largest_block() const noexcept { return largest_block_; }

  /// Whether segment `value` belongs to axis k.
  [[nodiscard]] bool contains(std::size_t k, std::int64_t value) const noexcept {
    return axes_[k].contains(value);
  }
  /// The number of the block with these segments. REQUIRES: contains() for each.
  [[nodiscard]] std::uint64_t number_of(std::span<const std::int64_t> segments) const noexcept {
    std::uint64_t number = 0;
    for (std::size_t k = 0; k < axes_.size(); ++k)
      number += static_cast<std::uint64_t>(segments[k] - axes_[k].first()) * strides_[k];
    return number;
  }
  /// The segments of block `number`, into `segments` (order() values).
  void segments_of(std::uint64_t number, std::span<std::int64_t> segments) const noexcept;
  /// Extent of segment `value` of axis k. REQUIRES: contains(k, value).
  [[nodiscard]] Extent extent(std::size_t k, std::int64_t value) const noexcept {
    return axes_[k].extent(value);
  }
  [[nodiscard]] Extent offset(std::size_t k, std::int64_t value) const noexcept {
    return axes_[k].offset(value);
  }
  /// Elements of the block with these segments.
  [[nodiscard]] Extent element_count(std::span<const std::int64_t> segments) const noexcept;

  friend bool operator==(const Grid&, const Grid&) = default;

 private:
  std::vector<Axis> axes_;
  std::vector<std::uint64_t> strides_;
  std::uint64_t block_count_ = 1;
  Extent element_count_ = 1;
  Extent largest_block_ = 1;
};

/// The grid of an array with these extents of the segments of each index, numbered from 1.
[[nodiscard]] Grid grid_of(std::span<const std::vector<Extent>> segments);

/// "[1,2]": segment numbers for a message.
[[nodiscard]] std::string print_segments(std::span<const std::int64_t> segments);

}  // namespace blockyard::array
