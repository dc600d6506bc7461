// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <span>
#include <string>

#include "blockyard/super/load.h"

namespace blockyard::super::detail {

/// Adds the functions of a loaded object whose names programs declare, and which have ACES4's
/// arguments, all by reference:
///   name(slot, rank, index_values, size, extents, data,  ... the same for each operand ...,  ierr)
///   int slot (here the number of the argument, from 1), rank (0: a scalar), size;
///   int index_values[6], extents[6]: the first `rank` count; double data[size]
/// A function `name`, as C and BIND(C) make it, or `name_`, as Fortran does without. ierr is 0
/// before; another value ends the run. At most 6 operands.
/// `calls` is held during a call: ACES4 runs one worker in a process, and what its functions keep
/// between calls is written for that.
/// Throws Error{bad_input} if a name is taken by a super instruction that is there already.
void add_aces_functions(Table& table, void* object, const std::string& path, std::mutex& calls,
                        std::span<const Declared> declared);

}  // namespace blockyard::super::detail
