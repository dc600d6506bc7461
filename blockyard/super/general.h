// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/super/super.h"

namespace blockyard::super {

/// Adds the super instructions that are of use to any program:
///   fill_block_sequential b x   b = x, x + 1, x + 2, ... in the order of memory
///   fill_block_cyclic b x       the same, counted in single precision, with 1 after the value 20
///   swap_blocks a b             exchanges the values of two operands of one size
///   get_first_block_element b x     the first element of x = that of b
///   one_arg_no_op b, check_block_number_calculation b, enable_debug_print, disable_debug_print
///                               nothing; programs that test ACES4 have them
///   get_my_rank x               x = number of the worker, from 0
///   get_scratch_array_dummy b       the first 32 elements of b = 1, 2, 3, ...
///   get_and_print_int_array_dummy b     the first 8 elements of b = those of the job's array
///                               int_array_data
///   get_and_print_scalar_array_dummy b  the same with scalar_array_data
/// and those of block_files.h.
void add_general(Table& table);

}  // namespace blockyard::super
