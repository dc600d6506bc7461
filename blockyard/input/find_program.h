// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace blockyard::input {

/// The file of a program that an input of ACES names: `name` in `folder`, or the SIAL source or
/// compiled program of the same name with another ending. A .siox, which only ACES can read, always
/// stands for its source. Letter case of the name does not matter. A missing file is returned as
/// the expected source, for the reader's error to name.
[[nodiscard]] std::string find_program(const std::string& folder, const std::string& name);

/// The file in the first of several folders that has it, at any depth: then the
/// least deep one. Throws Error{bad_input} if two are equally deep, or no folder has
/// it.
[[nodiscard]] std::string find_program_below(const std::vector<std::string>& folders,
                                             const std::string& name);

}  // namespace blockyard::input
