// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/super/super.h"

namespace blockyard::super {

/// Adds the super instructions that are of use to any program:
///   fill_block_sequential b x   b = x, x + 1, x + 2, ... in the order of memory
///   fill_block_cyclic b x       the same, beginning with x again after every 20 values
///   read_block_from_text_file b     b = the numbers of the text file name[1.2].txt (of block
///                               name[1,2]) in the working folder, in the order of memory
///   get_my_rank x               x = number of the worker, from 0
void add_general(Table& table);

}  // namespace blockyard::super
