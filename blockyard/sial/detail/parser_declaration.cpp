// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "blockyard/array/index.h"
#include "blockyard/sial/detail/foreign.h"
#include "blockyard/sial/detail/parser.h"

namespace blockyard::sial::detail {
namespace {

using ast::DeclKind;

constexpr std::array<std::string_view, 9> modifiers = {
    "predefined",    "persistent", "sip_consistent", "scoped_extent", "contiguous",
    "auto_allocate", "sparse",     "complex",        "single"};

std::optional<DeclKind> kind_of(std::string_view word) {
  if (word == "int") return DeclKind::int_;
  if (word == "scalar") return DeclKind::scalar;
  if (word == "subindex") return DeclKind::subindex;
  if (word == "special") return DeclKind::special;
  for (const auto index : array::kind_keywords)
    if (word == index) return DeclKind::index;
  for (const auto array : {"static", "temp", "local", "distributed", "served"})
    if (word == array) return DeclKind::array;
  return std::nullopt;
}

bool is_modifier(const Token& token) {
  return token.kind == TokenKind::name &&
         std::find(modifiers.begin(), modifiers.end(), token.text) != modifiers.end();
}

}  // namespace

bool Parser::at_declaration() const {
  std::size_t ahead = 0;
  while (is_modifier(peek(ahead)) && peek(ahead + 1).kind == TokenKind::name) ++ahead;
  return ahead > 0 || (peek().kind == TokenKind::name && kind_of(peek().text).has_value());
}

/// "integer n": a finding, and then our word for it.
void Parser::replace_foreign_declaration() {
  const Token& word = peek();
  const std::string_view ours = declaration_meant_by(word.text);
  if (ours.empty() || is_variable(word) || peek(1).kind != TokenKind::name) return;
  findings_.error("unknown-statement", word.at, fmt::format("'{}' begins no statement", word.text),
                  fmt::format("did you mean '{}'?", ours));
  tokens_[at_].text = ours;
}

void Parser::parse_import() {
  next();
  if (peek().kind == TokenKind::string) {
    unit_.imports.push_back({peek().text, peek().at});
    next();
  } else {
    unexpected("the file name in quotes, as in import \"name.sial\"");
  }
  end_line();
}

void Parser::parse_declaration() {
  ast::Declaration declaration;
  while (is_modifier(peek())) {
    declaration.modifiers.push_back({peek().text, peek().at});
    next();
  }
  const auto kind =
      peek().kind == TokenKind::name ? kind_of(peek().text) : std::optional<DeclKind>{};
  if (!kind) {
    unexpected("int, scalar, an index kind or an array kind after the modifiers");
    skip_line();
    return;
  }
  declaration.kind = *kind;
  declaration.keyword = {peek().text, peek().at};
  next();
  declaration.name = expect_name("the name to declare");
  switch (*kind) {
    case DeclKind::int_:
    case DeclKind::scalar:
      parse_value_declaration(declaration);
      break;
    case DeclKind::index:
      parse_index(declaration);
      break;
    case DeclKind::array:
      parse_array(declaration);
      break;
    case DeclKind::subindex:
      if (!accept_name("of")) unexpected("'of' and the parent index");
      declaration.parent = expect_name("the parent index");
      break;
    case DeclKind::special:
      if (!at_line_end()) {
        if (peek().kind == TokenKind::name)
          declaration.signature = ast::Name{peek().text, peek().at};
        else
          unexpected("one of r, w, u for each argument");
        next();
      }
      break;
  }
  const bool is_whole = !has_failed_;
  end_line();
  if (!declaration.name.text.empty()) declared_.insert(declaration.name.text);
  if (is_whole || !declaration.name.text.empty())
    unit_.declarations.push_back(std::move(declaration));
}

void Parser::parse_value_declaration(ast::Declaration& declaration) {
  if (accept_symbol("=")) declaration.initial = parse_unary();
}

ast::Bound Parser::parse_bound() {
  ast::Bound bound;
  bound.at = peek().at;
  bound.is_negative = accept_symbol("-");
  if (peek().kind == TokenKind::integer || (peek().kind == TokenKind::name && !bound.is_negative))
    bound.text = next().text;
  else
    unexpected("a number or the name of a predefined int");
  return bound;
}

void Parser::parse_index(ast::Declaration& declaration) {
  if (!expect_symbol("=", "and a range like 1:norb")) return;
  declaration.first = parse_bound();
  if (!accept_symbol(":") && !accept_symbol(",")) {
    const bool is_other = is_name(peek(), "to") || is_symbol(peek(), "-");
    unexpected("':' between the ends of the range", is_other ? "did you mean ':'?" : "");
    return;
  }
  declaration.last = parse_bound();
}

void Parser::parse_array(ast::Declaration& declaration) {
  if (!is_symbol(peek(), "[") && !is_symbol(peek(), "(")) {
    unexpected("the indexes of the array in square brackets");
    return;
  }
  const std::string closer = next().text == "[" ? "]" : ")";
  do {
    declaration.indexes.push_back(expect_name("an index"));
  } while (accept_symbol(","));
  expect_symbol(closer, "after the indexes");
}

void Parser::parse_proc() {
  const Place opened = peek().at;
  next();
  ast::Proc proc;
  proc.name = expect_name("the name of the procedure");
  declared_.insert(proc.name.text);
  end_line();
  proc.body = parse_body("endproc");
  expect_closer("endproc", opened, "proc");
  if (peek().kind == TokenKind::name) {
    if (peek().text != proc.name.text)
      fail("wrong-end-name", peek().at,
           fmt::format("'endproc {}' ends procedure '{}'", peek().text, proc.name.text),
           fmt::format("write 'endproc {}'", proc.name.text));
    next();
  }
  end_line();
  if (!proc.name.text.empty()) unit_.procs.push_back(std::move(proc));
}

}  // namespace blockyard::sial::detail
