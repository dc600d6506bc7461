// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/detail/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "blockyard/array/index.h"
#include "blockyard/sial/parse.h"

namespace blockyard::sial {

ast::Unit parse(const Tokens& tokens, Findings& findings) {
  return detail::Parser(tokens, findings).parse_unit();
}

namespace detail {
namespace {

/// Keywords of ACES4. Words that only Blockyard knows (and, or, exists, cycle, ...) are none of
/// them: existing programs may use those as names.
constexpr auto words = std::to_array<std::string_view>({"allocate",
                                                        "assert_same",
                                                        "broadcast_from",
                                                        "call",
                                                        "collective",
                                                        "contiguous",
                                                        "create",
                                                        "deallocate",
                                                        "delete",
                                                        "destroy",
                                                        "distributed",
                                                        "do",
                                                        "else",
                                                        "enddo",
                                                        "endif",
                                                        "endpardo",
                                                        "endproc",
                                                        "endsection",
                                                        "endsial",
                                                        "execute",
                                                        "exit",
                                                        "get",
                                                        "gpu_allocate",
                                                        "gpu_free",
                                                        "gpu_get",
                                                        "gpu_off",
                                                        "gpu_on",
                                                        "gpu_put",
                                                        "if",
                                                        "import",
                                                        "int",
                                                        "local",
                                                        "pardo",
                                                        "predefined",
                                                        "prepare",
                                                        "print",
                                                        "println",
                                                        "proc",
                                                        "put",
                                                        "request",
                                                        "restore_persistent",
                                                        "return",
                                                        "scalar",
                                                        "section",
                                                        "served",
                                                        "server_barrier",
                                                        "set_persistent",
                                                        "sial",
                                                        "sip_barrier",
                                                        "special",
                                                        "static",
                                                        "subindex",
                                                        "temp",
                                                        "where"});

/// The words, and those that declare an index of each kind.
constexpr auto reserved = [] {
  std::array<std::string_view, words.size() + array::kind_count> all;
  std::ranges::copy(array::kind_keywords, std::ranges::copy(words, all.begin()).out);
  return all;
}();

Tokens without_comments(const Tokens& tokens) {
  Tokens result;
  for (const auto& token : tokens)
    if (token.kind != TokenKind::comment) result.push_back(token);
  return result;
}

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::new_line:
      return "the end of the line";
    case TokenKind::end:
      return "the end of the file";
    case TokenKind::string:
      return "a text";
    default:
      return fmt::format("'{}'", token.text);
  }
}

/// What to do about a token that follows a whole statement.
std::string hint_after_end(const Token& token) {
  if (is_symbol(token, ",")) return "each needs a line of its own";
  if (is_name(token, "then")) return "leave it out: a condition ends with its line";
  if (is_name(token, "where")) return "'where' goes on the next line";
  return "";
}

}  // namespace

bool is_reserved(std::string_view word) noexcept {
  return std::find(reserved.begin(), reserved.end(), word) != reserved.end();
}

std::span<const std::string_view> reserved_words() noexcept { return reserved; }

Parser::Parser(const Tokens& tokens, Findings& findings)
    : tokens_(without_comments(tokens)), findings_(findings) {}

const Token& Parser::peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

const Token& Parser::next() {
  const Token& token = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool Parser::at_line_end() const {
  return peek().kind == TokenKind::new_line || peek().kind == TokenKind::end;
}

bool Parser::at_end() const { return peek().kind == TokenKind::end; }

bool Parser::accept_symbol(std::string_view text) {
  if (!is_symbol(peek(), text)) return false;
  next();
  return true;
}

bool Parser::accept_name(std::string_view text) {
  if (!is_name(peek(), text)) return false;
  next();
  return true;
}

bool Parser::expect_symbol(std::string_view text, std::string_view where) {
  if (accept_symbol(text)) return true;
  unexpected(fmt::format("'{}' {}", text, where));
  return false;
}

ast::Name Parser::expect_name(std::string_view what) {
  const Token& token = peek();
  if (token.kind != TokenKind::name) {
    unexpected(what);
    return {"", token.at};
  }
  if (is_reserved(token.text))
    fail("reserved-word", token.at, fmt::format("'{}' is a word of the language", token.text),
         fmt::format("expected {}; choose another name", what));
  next();
  return {token.text, token.at};
}

void Parser::fail(std::string_view code, Place at, std::string message, std::string hint) {
  if (!has_failed_) findings_.error(code, at, std::move(message), std::move(hint));
  has_failed_ = true;
}

void Parser::unexpected(std::string_view wanted, std::string hint) {
  fail("unexpected", peek().at, fmt::format("expected {}, but found {}", wanted, describe(peek())),
       std::move(hint));
}

void Parser::skip_line() {
  while (!at_line_end()) next();
  if (peek().kind == TokenKind::new_line) next();
  has_failed_ = false;
}

void Parser::end_line() {
  if (!at_line_end() && !has_failed_)
    unexpected("the end of the statement", hint_after_end(peek()));
  skip_line();
}

void Parser::skip_empty_lines() {
  while (peek().kind == TokenKind::new_line) next();
}

/// A name of the program even though it is a contextual word like `cycle`.
bool Parser::is_variable(const Token& token) const {
  return token.kind == TokenKind::name && declared_.contains(token.text);
}

ast::Unit Parser::parse_unit() {
  unit_.file = peek().at.file;
  skip_empty_lines();
  while (is_name(peek(), "import")) {
    parse_import();
    skip_empty_lines();
  }
  const Place opened = peek().at;
  const bool is_empty = at_end();
  if (accept_name("sial")) {
    unit_.name = expect_name("the name of the program");
    end_line();
  } else {
    const bool is_program = is_name(peek(), "program") && peek(1).kind == TokenKind::name;
    fail("no-program", opened, fmt::format("expected 'sial NAME', but found {}", describe(peek())),
         is_program
             ? "did you mean 'sial'?"
             : "a program is: imports, 'sial NAME', declarations, statements, 'endsial NAME'");
    if (is_program) unit_.name = {peek(1).text, peek(1).at};
    has_failed_ = false;
    if (!at_declaration()) skip_line();
  }
  unit_.body = parse_body("endsial");
  if (!is_name(peek(), "endsial")) {
    if (is_empty) return std::move(unit_);
    findings_.error("unclosed", opened, "this program has no end",
                    fmt::format("write 'endsial{}{}' as its last line",
                                unit_.name.text.empty() ? "" : " ", unit_.name.text));
    return std::move(unit_);
  }
  next();
  const Token& closing = peek();
  if (closing.kind == TokenKind::name && !unit_.name.text.empty() &&
      closing.text != unit_.name.text)
    fail("wrong-end-name", closing.at,
         fmt::format("'endsial {}' ends program '{}'", closing.text, unit_.name.text),
         fmt::format("write 'endsial {}'", unit_.name.text));
  if (closing.kind == TokenKind::name) next();
  end_line();
  skip_empty_lines();
  if (!at_end())
    fail("after-end", peek().at, "text after the end of the program",
         "only comments may follow 'endsial'");
  return std::move(unit_);
}

}  // namespace detail
}  // namespace blockyard::sial
