// SPDX-License-Identifier: Apache-2.0
#include "blockyard/block/piece_length.h"

#include <algorithm>
#include <cmath>

namespace blockyard::block {

/// The quickest is the least disturbed.
void PieceLength::took(double first_seconds, std::size_t rest, double rest_seconds) noexcept {
  const double per_byte = rest_seconds / static_cast<double>(rest);
  first_seconds_ = timed_ == 0 ? first_seconds : std::min(first_seconds_, first_seconds);
  seconds_per_byte_ = timed_ == 0 ? per_byte : std::min(seconds_per_byte_, per_byte);
  ++timed_;
}

std::size_t PieceLength::of(std::size_t size) const noexcept {
  if (fixed_ > 0) return fixed_;
  if (size <= least) return size;
  constexpr double shortest_start = 1e-7;
  constexpr double fastest = 1e-12;  // seconds for a byte
  const double per_byte = std::max(fastest, seconds_per_byte_);
  const double start =
      std::max(shortest_start, first_seconds_ - static_cast<double>(least) * per_byte);
  const double best = std::sqrt(static_cast<double>(size) * start / per_byte);
  constexpr std::size_t page = 4096;
  constexpr std::size_t fewest = 4;  // their starts cost little, even where they were mistimed
  const auto whole_pages = static_cast<std::size_t>(best / page + 1) * page;
  return std::clamp(whole_pages, least, std::max(least, size / fewest));
}

}  // namespace blockyard::block
