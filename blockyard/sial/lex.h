// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/sial/token.h"

namespace blockyard::sial {

/// Cuts source `file` of `findings` into tokens, comments included; the last one is `end`.
/// A line that ends with `&` goes on: no new_line token stands between. Any bytes are allowed in:
/// what fits no token is reported and left out.
[[nodiscard]] Tokens lex(std::uint32_t file, Findings& findings);

}  // namespace blockyard::sial
