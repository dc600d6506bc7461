// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/triples_ranges.h"

#include <algorithm>

namespace blockyard::qc {
namespace {

struct Piece {
  Extent segment, first, last;  // from 1, both ends included
};

Extent longest_piece(std::span<const Extent> occupied) {
  Extent most = 5;
  for (const Extent extent : occupied)
    if (extent <= most) --most;
  return std::max<Extent>(most, 1);
}

std::vector<Piece> cut_segments(std::span<const Extent> occupied, Extent first) {
  const Extent most = longest_piece(occupied);
  std::vector<Piece> pieces;
  Extent orbital = first + 1;
  for (std::size_t s = 0; s < occupied.size(); ++s) {
    const Extent count = (occupied[s] + most - 1) / most;
    const Extent end = orbital + occupied[s];
    for (Extent piece = 0; piece < count; ++piece) {
      const Extent next = piece + 1 == count ? end : orbital + occupied[s] / count;
      pieces.push_back({static_cast<Extent>(s) + 1, orbital, next - 1});
      orbital = next;
    }
  }
  return pieces;
}

}  // namespace

std::vector<TriplesItem> triples_items(std::span<const Extent> occupied, Extent first,
                                       TriplesSpins spins) {
  const auto pieces = cut_segments(occupied, first);
  std::vector<TriplesItem> items;
  for (const Piece& i : pieces)
    for (const Piece& j : pieces) {
      if (i.segment > j.segment) continue;
      for (Extent k = spins == TriplesSpins::aaa ? j.segment : 1; k <= std::ssize(occupied); ++k)
        items.push_back({i.segment, i.first, i.last, j.segment, j.first, j.last, k});
    }
  return items;
}

}  // namespace blockyard::qc
