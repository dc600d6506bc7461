// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/sial/ast.h"
#include "blockyard/sial/token.h"

namespace blockyard::sial {

/// The tree of one file. Continues at the next line after an error, so that one run reports all.
[[nodiscard]] ast::Unit parse(const Tokens& tokens, Findings& findings);

}  // namespace blockyard::sial
