// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "blockyard/base/integer.h"
#include "blockyard/ring/flow.h"

namespace blockyard::ring {

using base::Extent;

/// Units `begin` to `end` - 1 of the array: along the axis that is cut.
struct Range {
  Extent begin = 0;
  Extent end = 0;
  [[nodiscard]] Extent count() const noexcept { return end - begin; }
  friend bool operator==(const Range&, const Range&) = default;
};

/// The position of a rank: its ring, and its place in it.
struct Seat {
  int ring = 0;
  int place = 0;
  friend bool operator==(const Seat&, const Seat&) = default;
};

/// The rings of a run: ranks one after the other, each ring of at least `size` ranks, so that all
/// ranks have a place; the first rings have one more where `size` does not divide the ranks. Each
/// ring holds the whole array, and cuts it into as many ranges as it has places: equal ones, or in
/// proportion to the speeds of its ranks, of at least one unit each.
class Layout {
 public:
  /// Throws Error{bad_input} if a ring is longer than the ranks, or has more places than units.
  /// speeds: by rank, positive; none: all are the same.
  Layout(int ranks, int size, Extent units, std::span<const double> speeds = {});

  [[nodiscard]] int ranks() const noexcept { return first_.back(); }
  [[nodiscard]] int rings() const noexcept { return static_cast<int>(first_.size()) - 1; }
  [[nodiscard]] Extent units() const noexcept { return units_; }
  [[nodiscard]] int places(int ring) const;
  [[nodiscard]] Seat seat(int rank) const;
  [[nodiscard]] int rank(const Seat& seat) const;
  /// The units of a seat.
  [[nodiscard]] Range range(const Seat& seat) const;
  /// Of the largest range.
  [[nodiscard]] Extent most_units() const;
  /// The place of a ring that has this unit.
  [[nodiscard]] int place_of(int ring, Extent unit) const;
  /// Of all that the layout is: layouts with the same are the same.
  [[nodiscard]] std::uint64_t checksum() const;

 private:
  std::vector<int> first_;  ///< by ring: its first rank; after the last: the number of ranks
  Extent units_;
  std::vector<Extent> begin_;  ///< by rank, with speeds: its first unit; empty: equal ranges
};

/// The inputs for the choice of a ring's size. Bytes of one rank.
struct Memory {
  Extent budget_bytes = 0;
  Extent array_bytes = 0;  ///< the whole array: a ring of S holds the S-th part at each place
  Extent units = 1;        ///< the array is cut between units only
  Extent item_bytes = 0;   ///< one item with its payload
  /// On the route `direct`, what comes of an item to a place with that many units; empty: all of
  /// it.
  std::function<Extent(Extent units)> part_bytes = {};
  Extent fixed_bytes = 0;  ///< what does not depend on the ring
  /// What bringing the result together takes in rings of that size; empty: nothing.
  std::function<Extent(int size)> result_bytes = {};
  /// Workspace of a place with that many units; empty: none.
  std::function<Extent(Extent units)> work_bytes = {};
  Route route = Route::ring;
  int slots = 3;
  int lanes = 1;
};

struct Choice {
  int size = 1;
  Extent slice_bytes = 0;  ///< of the largest slice
  Extent rank_bytes = 0;   ///< slice, slots and the rest
  std::string reason;
};

/// The memory of a place in a ring of `size`: the largest slice, the slots, which on the route
/// `direct` each other place has, own items, the rest. At most 2^62.
[[nodiscard]] Choice memory_of_ring(const Memory& memory, int size);

/// The smallest ring whose slices, slots and workspace fit: the fewer places, the less is sent.
/// Throws Error{no_memory}, which says what would fit, if not even one ring of all ranks does.
[[nodiscard]] Choice choose_size(const Memory& memory, int ranks);

/// "auto" (0) or a number of ranks. Throws Error{bad_input}.
[[nodiscard]] int parse_size(const std::string& text);

}  // namespace blockyard::ring
