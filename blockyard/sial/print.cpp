// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/ast.h"
#include "blockyard/sial/checked.h"

namespace blockyard::sial {
std::string print_ast(const ast::Unit& unit) { return unit.name.text; }
std::string print_checked(const checked::Unit& unit) { return unit.name; }
}  // namespace blockyard::sial
