// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "blockyard/ga/convert.h"
#include "blockyard/ga/edge.h"
#include "blockyard/garray/lattice.h"

// The parts that C and Fortran transfers share.
namespace blockyard::ga {

/// Memory of an array on this node.
struct Reached {
  void* data = nullptr;
  Indexes strides{};
  Indexes extents{};
};

/// Throws Error{bad_input} unless one block on this node has all of the patch.
[[nodiscard]] Reached reach_patch(const Array& array, const Box& box);
[[nodiscard]] Reached reach_block(const Array& array, Extent block);
/// The own block with its ghost cells; without a block no memory, and the extents of ghost cells.
[[nodiscard]] Reached reach_padded(const Array& array);
/// All that a process of this node holds.
[[nodiscard]] void* reach_all(const Array& array, int proc);
/// The number of a block from its place in the grid of blocks, which counts from 0 in Fortran, too.
[[nodiscard]] Extent block_at(Tongue tongue, const Array& array, Ints index);

[[nodiscard]] garray::Field field_of(const Array& array, int offset, int bytes);

[[nodiscard]] std::vector<Indexes> places_of(Tongue tongue, const Array& array, Ints flat,
                                             Extent count);
[[nodiscard]] std::vector<Indexes> places_of(Tongue tongue, const Array& array, IntLists lists,
                                             Extent count);

/// Transfers that were begun, by number; 0: it is complete. Any thread.
[[nodiscard]] long keep_pending(garray::Pending pending);
void wait_pending(long handle);
[[nodiscard]] bool test_pending(long handle);

/// Calls move(part, memory) for the parts of a patch that may leave the array on any side.
template <class Move>
void periodic(Tongue tongue, const Array& array, Ints lo, Ints hi, void* memory, Ints ld,
              const Move& move) {
  const Box box = wide_box_of(tongue, array, lo, hi);
  const Local all = local_of(tongue, array, box, memory, ld);
  garray::for_each_wrapped(array, box, [&](const Box& part, const Indexes& offset) {
    Extent at = 0;
    for (std::size_t d = 0; d < box.axes; ++d) at += offset[d] * all.strides[d];
    move(part, Local{static_cast<std::byte*>(all.data) + at * static_cast<Extent>(array.kind.bytes),
                     all.strides});
  });
}

/// Every skip[d]-th element of a patch, and the caller's memory, which has no others.
struct StridedPatch {
  garray::Lattice lattice;
  garray::Spread spread;
};
[[nodiscard]] StridedPatch strided_patch(Tongue tongue, const Array& array, Ints lo, Ints hi,
                                         Ints skip, void* memory, Ints ld);

}  // namespace blockyard::ga
