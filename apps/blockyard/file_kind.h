// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace blockyard::app {

/// Throws Error{bad_input} that says what a file is, and what to do with it, if it is not the text
/// of a SIAL program. A file that cannot be read is left to the compiler.
void check_is_program(const std::string& path);

}  // namespace blockyard::app
