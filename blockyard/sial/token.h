// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "blockyard/sial/findings.h"

namespace blockyard::sial {

enum class TokenKind : std::uint8_t {
  name,      ///< an identifier or a keyword; `text` is lower case
  integer,   ///< digits
  real,      ///< `text` as std::from_chars reads it
  string,    ///< `text` without quotes, escapes replaced
  symbol,    ///< operators and brackets
  comment,   ///< `#` to the end of the line
  new_line,  ///< end of a statement
  end        ///< end of the source
};

struct Token {
  TokenKind kind = TokenKind::end;
  Place at;
  std::string text;
};

using Tokens = std::vector<Token>;

[[nodiscard]] inline bool is_symbol(const Token& token, std::string_view text) {
  return token.kind == TokenKind::symbol && token.text == text;
}
[[nodiscard]] inline bool is_name(const Token& token, std::string_view text) {
  return token.kind == TokenKind::name && token.text == text;
}

/// One line per token, for a reader.
[[nodiscard]] std::string print_tokens(const Tokens& tokens);

}  // namespace blockyard::sial
