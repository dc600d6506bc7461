// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "blockyard/sial/token.h"

namespace blockyard::sial {

/// The mark that some editors write before a text in UTF-8. Columns do not count it.
inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// Cuts source `file` of `findings` into tokens, comments included; the last one is `end`.
/// A line that ends with `&` continues: no new_line token stands between. Any bytes are allowed:
/// those that fit no token are reported and left out.
[[nodiscard]] Tokens lex(std::uint32_t file, Findings& findings);

/// True for a compiled program and for what is not text at all; it is not to be lexed.
[[nodiscard]] bool is_binary(std::string_view text);
/// One error at `at`, which says what such a file is.
void report_binary(const Source& source, Place at, Findings& findings);

}  // namespace blockyard::sial
