// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/super/super.h"

namespace blockyard::super {

/// Adds the super instructions that move one block between memory and a separate file in the
/// working folder, named for the block: block a[1,2] is in a[1.2].txt or a[1.2].blk.
///   read_block_from_text_file b   a line `i j ... value` for each element, in any order: as many
///                                 lines as elements. Indexes count from 1, all but the last one
///                                 from their values in the first line.
///   write_block_to_file b         the binary file below
///   read_block_from_file b        reads it; its extents must be those of b
/// Binary: int32 order, int32 order, int32 extents[order], int32 elements, float64[elements], of
/// this machine's byte order, first index fastest. The files are those of ACES4.
void add_block_files(Table& table);

}  // namespace blockyard::super
