// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace blockyard::lsp {

/// The entry of an instruction in docs/super_instructions.md.
struct SuperText {
  std::string access;  ///< "wr": a letter for each operand; "" if there are none
  std::string text;    ///< operands and meaning, in Markdown
};

using SuperTexts = std::map<std::string, SuperText, std::less<>>;

/// The rows `| names | access | text |` of the tables of a page. A row may name several
/// instructions, and give each an access of its own.
[[nodiscard]] SuperTexts read_super_texts(std::string_view page);

/// Those of the page as it was when this was built.
[[nodiscard]] const SuperTexts& super_texts();

}  // namespace blockyard::lsp
