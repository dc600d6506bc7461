// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "blockyard/array/index.h"
#include "blockyard/base/integer.h"

namespace blockyard::array {

using base::Extent;

/// One axis of an array: segments first() .. last() with their extents. Neighbours of equal extent
/// are stored as one run, so that an index with many values takes no more memory than a short one.
class Axis {
 public:
  /// No segments yet.
  Axis(IndexKind kind, std::int64_t first) noexcept : kind_(kind), first_(first) {}
  Axis(IndexKind kind, std::int64_t first, std::span<const Extent> extents);

  /// Adds `count` segments of `extent` elements each.
  /// Throws Error{bad_input} past 2^62 elements or segments.
  void append(Extent extent, std::int64_t count = 1);

  [[nodiscard]] IndexKind kind() const noexcept { return kind_; }
  [[nodiscard]] std::int64_t first() const noexcept { return first_; }
  /// first() - 1 if there are no segments.
  [[nodiscard]] std::int64_t last() const noexcept { return first_ + count_ - 1; }
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  /// Elements of all segments.
  [[nodiscard]] Extent element_count() const noexcept { return element_count_; }
  /// Elements of the longest segment; 0 if there is none.
  [[nodiscard]] Extent longest() const noexcept { return longest_; }
  /// Extents of all segments, one by one: for lists that people or files want.
  [[nodiscard]] std::vector<Extent> extents() const;

  [[nodiscard]] bool contains(std::int64_t value) const noexcept {
    return value >= first_ && value - first_ < count_;
  }
  /// Elements of segment `value`. REQUIRES: contains(value), as for offset().
  [[nodiscard]] Extent extent(std::int64_t value) const noexcept {
    return run_at(value - first_).extent;
  }
  /// Elements of this axis before segment `value`.
  [[nodiscard]] Extent offset(std::int64_t value) const noexcept {
    const Run& run = run_at(value - first_);
    return run.offset + (value - first_ - run.begin) * run.extent;
  }

  friend bool operator==(const Axis&, const Axis&) = default;

 private:
  struct Run {
    std::int64_t begin = 0;  ///< position of its first segment, counted from 0
    Extent extent = 0;       ///< of each of its segments
    Extent offset = 0;       ///< elements before it
    friend bool operator==(const Run&, const Run&) = default;
  };

  /// The hot path: blocks are located at each instruction.
  [[nodiscard]] const Run& run_at(std::int64_t position) const noexcept {
    if (runs_.size() == 1) return runs_.front();
    const auto at = static_cast<std::size_t>(position);
    if (at < run_of_.size()) return runs_[run_of_[at]];
    return *(std::ranges::upper_bound(runs_, position, {}, &Run::begin) - 1);
  }

  IndexKind kind_;
  std::int64_t first_;
  std::int64_t count_ = 0;
  Extent element_count_ = 0;
  Extent longest_ = 0;
  std::vector<Run> runs_;
  std::vector<std::uint32_t> run_of_;  ///< run of each of the first segments, if there are several
};

}  // namespace blockyard::array
