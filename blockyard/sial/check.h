// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "blockyard/sial/ast.h"
#include "blockyard/sial/checked.h"

namespace blockyard::sial {

/// Looks up every name, checks types, indexes and flow of the program: units[0] is the program,
/// the others are its imports, their `imported` set. Reports everything it finds; the result is
/// valid only if no error was found. Files of the result are the sources of `findings`.
[[nodiscard]] checked::Unit check(const std::vector<ast::Unit>& units, Findings& findings);

}  // namespace blockyard::sial
