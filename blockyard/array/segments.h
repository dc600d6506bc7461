// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "blockyard/array/index.h"
#include "blockyard/base/integer.h"

namespace blockyard::array {

using base::Extent;

/// The segment extents of each index kind in a run. Segments are numbered from 1.
class Segments {
 public:
  /// Throws Error{bad_input} if the kind is simple or an extent is not positive.
  void set(IndexKind kind, std::vector<Extent> extents);
  /// How many segments the kind has; 0 for simple, which has no table.
  [[nodiscard]] std::int64_t count(IndexKind kind) const noexcept;
  /// Elements of segment `number`; 1 for simple. Throws Error{bad_input} if it does not exist.
  [[nodiscard]] Extent extent(IndexKind kind, std::int64_t number) const;
  /// Elements before segment `number`, which may be count + 1; number - 1 for simple.
  [[nodiscard]] Extent offset(IndexKind kind, std::int64_t number) const;
  [[nodiscard]] std::span<const Extent> extents(IndexKind kind) const noexcept;

  /// Subsegments of at most this many elements (subindexes of SIAL).
  void set_subsegment(Extent at_most);
  [[nodiscard]] Extent subsegment() const noexcept { return subsegment_; }

  friend bool operator==(const Segments&, const Segments&) = default;

 private:
  void check(IndexKind kind, std::int64_t number) const;
  std::array<std::vector<Extent>, kind_count> extents_;
  std::array<std::vector<Extent>, kind_count> offsets_;
  Extent subsegment_ = 8;
};

}  // namespace blockyard::array
