// SPDX-License-Identifier: Apache-2.0
#include "blockyard/garray/ghosts.h"

#include <algorithm>
#include <cstring>

#include "blockyard/garray/patch.h"

namespace blockyard::garray {

namespace {

/// Calls visit(side) for all sides of a block.
template <class Visit>
void for_each_side(std::size_t axes, const Visit& visit) {
  Box box{.axes = axes};
  for (std::size_t d = 0; d < axes; ++d) box.first[d] = -1, box.end[d] = 2;
  array::for_each_index(box, [&](const Indexes& at) {
    Side side{};
    int count = 0;
    for (std::size_t d = 0; d < axes; ++d) {
      side[d] = static_cast<int>(at[d]);
      if (at[d] != 0) ++count;
    }
    if (count > 0) visit(side, count);
  });
}

/// Copies what `box` has, indexes modulo the extents, to memory whose strides are `to`'s.
void get_wrapped(const Runtime& runtime, const Array& array, const Box& box, Local to,
                 Pending* pending) {
  for_each_wrapped(array, box, [&](const Box& part, const Indexes& offset) {
    Extent at = 0;
    for (std::size_t d = 0; d < box.axes; ++d) at += offset[d] * to.strides[d];
    get(runtime, array, part,
        {static_cast<std::byte*>(to.data) + at * static_cast<Extent>(array.kind.bytes), to.strides},
        pending);
  });
}

}  // namespace

void update_side(const Runtime& runtime, const Array& array, const Side& side, Pending* pending) {
  if (!array.distribution.is_padded()) return;
  const Indexes& widths = array.distribution.widths();
  for_each_own(whole(array), [&](const Piece& piece, std::byte* data) {
    Box box = piece.box;
    Extent offset = 0;
    for (std::size_t d = 0; d < box.axes; ++d) {
      if (side[d] < 0)
        box.first[d] = piece.box.first[d] - widths[d], box.end[d] = piece.box.first[d];
      if (side[d] > 0) box.first[d] = piece.box.end[d], box.end[d] = piece.box.end[d] + widths[d];
      offset += (box.first[d] - piece.box.first[d]) * piece.strides[d];
    }
    if (box.is_empty()) return;
    get_wrapped(runtime, array, box,
                {data + offset * static_cast<Extent>(array.kind.bytes), piece.strides}, pending);
  });
}

void update_ghosts(const Runtime& runtime, const Array& array, Pending* pending) {
  for_each_side(array.axes(), [&](const Side& side, int count) {
    if (count == 1 || !array.keeps_corners) update_side(runtime, array, side, pending);
  });
}

void update_ghosts(const Runtime& runtime, const Array& array, std::size_t axis, int sign,
                   bool with_corners) {
  for_each_side(array.axes(), [&](const Side& side, int count) {
    if (side[axis] == sign && (count == 1 || with_corners)) update_side(runtime, array, side);
  });
}

void get_padded(const Runtime& runtime, const Array& array, const Box& box, Local to) {
  bool is_own = false;
  const Indexes& widths = array.distribution.widths();
  for_each_own(whole(array), [&](const Piece& piece, std::byte* data) {
    Extent offset = 0;
    for (std::size_t d = 0; d < box.axes; ++d) {
      if (box.first[d] < piece.box.first[d] - widths[d] ||
          box.end[d] > piece.box.end[d] + widths[d])
        return;
      offset += (box.first[d] - piece.box.first[d]) * piece.strides[d];
    }
    is_own = true;
    const auto unit = static_cast<Extent>(array.kind.bytes);
    for_each_offset<2>(box, {piece.strides, to.strides}, [&](const auto& at) {
      std::memcpy(static_cast<std::byte*>(to.data) + at[1] * unit, data + (offset + at[0]) * unit,
                  array.kind.bytes);
    });
  });
  if (!is_own) get_wrapped(runtime, array, box, to, nullptr);
}

}  // namespace blockyard::garray
