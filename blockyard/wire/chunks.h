// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace blockyard::wire {

/// Positions first .. last-1 of a loop.
struct Range {
  std::int64_t first = 0;
  std::int64_t last = 0;
  [[nodiscard]] std::int64_t length() const noexcept { return last - first; }
  friend bool operator==(const Range&, const Range&) = default;
};

// A loop that is shared is dealt out in chunks that shrink, so that all sharers end at about the
// same time. Source: Polychronopoulos, Kuck, Guided self-scheduling, IEEE Trans. Comput. C-36
// (1987), with half its chunk: iterations over sparse blocks differ more than those of its loops.

/// Length of the next chunk of `left` positions: `left` divided by twice the sharers, at least 1.
[[nodiscard]] inline std::int64_t guided(std::int64_t left, std::int64_t sharers) noexcept {
  return std::min(left, std::max<std::int64_t>(1, left / (2 * sharers)));
}

/// The share a worker starts with before it asks for more, so that no loop begins with a round
/// trip: half of the chunk it would be dealt, since other workers cannot take it over.
[[nodiscard]] inline std::int64_t unasked(std::int64_t total, std::int64_t sharers) noexcept {
  return guided(total, 2 * sharers);
}

/// The initial share of a list that was made for one sharer, as long as the others' lists: half of
/// it, as a lone sharer is dealt.
[[nodiscard]] inline std::int64_t unasked_of_list(std::int64_t length) noexcept {
  return guided(length, 1);
}

/// The initial share as positions of the loop: the sharers' ranges follow one another.
[[nodiscard]] inline Range unasked_of(std::int64_t sharer, std::int64_t total,
                                      std::int64_t sharers) noexcept {
  const std::int64_t count = unasked(total, sharers);
  return {std::min(total, sharer * count), std::min(total, (sharer + 1) * count)};
}

}  // namespace blockyard::wire
