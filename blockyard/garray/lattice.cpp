// SPDX-License-Identifier: Apache-2.0
#include "blockyard/garray/lattice.h"

#include <algorithm>

#include "blockyard/garray/patch.h"

namespace blockyard::garray {

namespace {

/// Axes in the order of their strides in the array's memory: the innermost first, so that what lies
/// without gaps becomes one row.
std::array<std::size_t, array::max_axes> inner_first(const Piece& piece) {
  std::array<std::size_t, array::max_axes> order{};
  for (std::size_t d = 0; d < order.size(); ++d) order[d] = d;
  std::stable_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(piece.box.axes),
                   [&](auto a, auto b) { return piece.strides[a] < piece.strides[b]; });
  return order;
}

template <class Move>
void move_pieces(const Runtime& runtime, const Array& array, const Lattice& lattice,
                 std::byte* near, const Indexes& near_strides, Pending* pending, const Move& move) {
  Pending own;
  Pending& all = pending != nullptr ? *pending : own;
  const auto unit = static_cast<std::int64_t>(array.kind.bytes);
  array.distribution.for_each_piece(lattice.box(), [&](const Piece& piece) {
    fabric::Strided rows;
    rows.row_bytes = array.kind.bytes;
    std::int64_t far = piece.offset, skipped = 0;
    for (const std::size_t d : inner_first(piece)) {
      if (d >= lattice.axes) continue;
      const Extent step = lattice.steps[d];
      // Of the lattice: the first point in the piece, and how many there are.
      const Extent begin = (piece.box.first[d] - lattice.first[d] + step - 1) / step;
      const Extent end = (piece.box.end[d] - lattice.first[d] + step - 1) / step;
      if (begin >= end) return;
      far += (lattice.first[d] + begin * step - piece.box.first[d]) * piece.strides[d];
      skipped += begin * near_strides[d];
      rows.add(end - begin, piece.strides[d] * step * unit, near_strides[d]);
    }
    all.add(move(piece.rank, static_cast<std::size_t>(far * unit), rows, near + skipped));
  });
  if (pending == nullptr) own.wait(runtime.memory());
}

}  // namespace

void get(const Runtime& runtime, const Array& array, const Lattice& lattice, const Spread& to,
         Pending* pending) {
  move_pieces(runtime, array, lattice, to.data, to.strides_bytes, pending,
              [&](int rank, std::size_t far, const fabric::Strided& rows, std::byte* near) {
                return runtime.memory().get(array.region, rank, far, rows, near);
              });
}

void put(const Runtime& runtime, const Array& array, const Lattice& lattice, const Spread& from,
         Pending* pending) {
  require_writable(array);
  move_pieces(runtime, array, lattice, from.data, from.strides_bytes, pending,
              [&](int rank, std::size_t far, const fabric::Strided& rows, const std::byte* near) {
                return runtime.memory().put(array.region, rank, far, rows, near);
              });
}

void accumulate(const Runtime& runtime, const Array& array, const Lattice& lattice,
                const Spread& from, const void* factor, Pending* pending) {
  const fabric::Element element = element_of(array);
  require_writable(array);
  move_pieces(runtime, array, lattice, from.data, from.strides_bytes, pending,
              [&](int rank, std::size_t far, const fabric::Strided& rows, const std::byte* near) {
                return runtime.memory().accumulate(array.region, rank, far, rows, near, element,
                                                   factor);
              });
}

}  // namespace blockyard::garray
