// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "blockyard/sial/token.h"

namespace blockyard::sial {

/// What some editors write before a text in UTF-8. It counts as no column.
inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// Cuts source `file` of `findings` into tokens, comments included; the last one is `end`.
/// A line that ends with `&` goes on: no new_line token stands between. Any bytes are allowed in:
/// what fits no token is reported and left out.
[[nodiscard]] Tokens lex(std::uint32_t file, Findings& findings);

}  // namespace blockyard::sial
