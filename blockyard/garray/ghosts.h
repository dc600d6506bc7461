// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "blockyard/garray/transfer.h"

// Ghost cells: copies of the visible elements around a block, at their index modulo the extents.
// Each rank reads what it needs, from several owners where a block is narrower than the width; no
// sync of its own, so callers put one before and one after.
namespace blockyard::garray {

/// One side of a block: -1, 0 or 1 for each axis; not all 0.
using Side = std::array<int, array::max_axes>;

/// Fills the ghost cells on one side.
void update_side(const Runtime& runtime, const Array& array, const Side& side,
                 Pending* pending = nullptr);
/// All sides; corners (more than one axis) only if the array does not keep them.
void update_ghosts(const Runtime& runtime, const Array& array, Pending* pending = nullptr);
/// The sides with direction `sign` on one axis; those on more axes too if with_corners.
void update_ghosts(const Runtime& runtime, const Array& array, std::size_t axis, int sign,
                   bool with_corners);
/// A box that may leave the array: from this rank's padded block if it lies there, else the visible
/// elements modulo the extents.
void get_padded(const Runtime& runtime, const Array& array, const Box& box, Local to);

}  // namespace blockyard::garray
