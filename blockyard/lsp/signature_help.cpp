// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lsp/signature_help.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "blockyard/base/text.h"
#include "blockyard/lsp/super_texts.h"

namespace blockyard::lsp {
namespace {

/// "1: written": of one letter of a signature.
std::string operand_text(std::size_t number, char access) {
  const std::string_view word = access == 'r' ? "read" : access == 'w' ? "written" : "updated";
  return fmt::format("{}: {}", number + 1, word);
}

/// The words of a statement up to the cursor: "execute", the instruction, its arguments so far.
std::vector<std::string> words_before(std::string_view line) {
  std::vector<std::string> words;
  bool is_open = false;
  int depth = 0;
  for (const char c : line) {
    const bool is_blank = (c == ' ' || c == '\t') && depth == 0;
    depth += c == '[' || c == '(' ? 1 : c == ']' || c == ')' ? -1 : 0;
    if (!is_blank && !is_open) words.emplace_back();
    is_open = !is_blank;
    if (is_open) words.back() += c;
  }
  if (!is_open) words.emplace_back();  // the next word has not begun
  return words;
}

/// The letters of "special NAME letters  # a comment"; "" if there are none.
std::string access_in(std::string_view declaration) {
  const std::vector<sial::NameUse> words = sial::names_in(declaration);
  return words.size() > 2 && words[2].name.find_first_not_of("rwu") == std::string::npos
             ? words[2].name
             : "";
}

}  // namespace

Json signature_help(std::string_view begun, const std::vector<sial::DeclaredName>& names) {
  const std::vector<std::string> words = words_before(begun);
  if (words.size() < 3 || base::lower(words[0]) != "execute") return nullptr;
  const std::string name = base::lower(words[1]);
  const auto known = super_texts().find(name);
  const auto special = std::ranges::find(names, name, &sial::DeclaredName::name);
  const bool is_declared = special != names.end() && special->kind == "special";
  if (!is_declared && known == super_texts().end()) return nullptr;
  std::string access = is_declared ? access_in(special->declaration) : "";
  if (access.empty() && known != super_texts().end()) access = known->second.access;
  std::string label = "execute " + name;
  Json operands = Json::array();
  for (std::size_t k = 0; k < access.size(); ++k) {
    const std::string operand = operand_text(k, access[k]);
    label += (k == 0 ? " " : ", ") + operand;
    operands.push_back({{"label", operand}});
  }
  Json one = {{"label", label}, {"parameters", operands}};
  if (known != super_texts().end())
    one["documentation"] = {{"kind", "markdown"}, {"value", known->second.text}};
  return {
      {"signatures", Json::array({one})},
      {"activeSignature", 0},
      {"activeParameter", std::min(words.size() - 2, std::max<std::size_t>(access.size(), 1)) - 1}};
}

}  // namespace blockyard::lsp
