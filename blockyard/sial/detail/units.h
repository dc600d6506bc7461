// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "blockyard/sial/ast.h"

namespace blockyard::sial::detail {

/// Parses the program and, once each, the files it imports, directly or through others. The first
/// unit is the program; a unit stands before what it imports, so that going backwards meets
/// imports first. Reports files that are not found or import each other in a circle. Empty if the
/// program itself cannot be read.
[[nodiscard]] std::vector<ast::Unit> load_units(std::string_view path, SourceLoader& loader,
                                                Findings& findings);

}  // namespace blockyard::sial::detail
