// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace blockyard::input {

/// The file of a program that an input of ACES names: `name` in `folder`, or the SIAL source or
/// compiled program of the same name with another ending. A .siox, which only ACES can read, always
/// stands for its source. Letter case of the name does not matter. What is not there is given as
/// the source that it should be, to be named in the error of who reads it.
[[nodiscard]] std::string find_program(const std::string& folder, const std::string& name);

/// The same in the first of several folders that has it, in itself or in folders in it: then the
/// one that is the least deep. Throws Error{bad_input} if two are equally deep, or no folder has
/// it.
[[nodiscard]] std::string find_program_below(const std::vector<std::string>& folders,
                                             const std::string& name);

}  // namespace blockyard::input
