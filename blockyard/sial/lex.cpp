// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/lex.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "blockyard/base/text.h"
#include "blockyard/program/file.h"
#include "blockyard/program/verify.h"
#include "blockyard/sial/detail/foreign.h"

namespace blockyard::sial {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
/// Control-Z, which ends files that come from DOS, is blank anywhere.
bool is_blank(char c) {
  return std::string_view(" \t\r\f\v\x1a").find(c) != std::string_view::npos;
}

/// The longest match comes first.
constexpr std::array<std::string_view, 22> symbols = {
    "**", "+=", "-=", "*=", "<=", ">=", "==", "!=", "+", "-", "*",
    "/",  "^",  "(",  ")",  "[",  "]",  ",",  ":",  "=", "<", ">"};

/// Operators of C and Fortran, and ours for them. A single '&' continues a line.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> foreign_operators = {
    {{"||", "or"},
     {"..", ":"},
     {":=", "="},
     {"&&", "and"},
     {"<>", "!="},
     {".and.", "and"},
     {".or.", "or"},
     {".not.", "not"},
     {".eq.", "=="},
     {".ne.", "!="},
     {".lt.", "<"},
     {".le.", "<="},
     {".gt.", ">"},
     {".ge.", ">="}}};

class Lexer {
 public:
  Lexer(std::uint32_t file, Findings& findings)
      : file_(file), findings_(findings), text_(findings.sources().at(file).text) {}

  Tokens run() {
    if (text_.starts_with(byte_order_mark)) at_ = line_start_ = byte_order_mark.size();
    while (at_ < text_.size()) step();
    add(TokenKind::new_line, at_, at_, "");
    add(TokenKind::end, at_, at_, "");
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  [[nodiscard]] Place place(std::size_t from, std::size_t to) const {
    return {file_, line_, static_cast<std::uint32_t>(from - line_start_ + 1),
            static_cast<std::uint32_t>(to > from ? to - from : 1)};
  }

  void add(TokenKind kind, std::size_t from, std::size_t to, std::string text) {
    tokens_.push_back({kind, place(from, to), std::move(text)});
  }

  void step() {
    const char c = peek();
    if (c == '\n') {
      add(TokenKind::new_line, at_, at_ + 1, "");
      next_line();
    } else if (is_blank(c)) {
      ++at_;
    } else if (c == '#') {
      lex_comment();
    } else if (is_letter(c)) {
      lex_name();
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      lex_number();
    } else if (c == '"') {
      lex_string();
    } else if (lex_foreign()) {
      return;
    } else if (c == '&') {
      lex_continuation();
    } else if (!lex_symbol()) {
      skip_unknown();
    }
  }

  void next_line() {
    ++at_;
    ++line_;
    line_start_ = at_;
  }

  void lex_comment() {
    const std::size_t from = at_;
    while (at_ < text_.size() && peek() != '\n') ++at_;
    std::size_t to = at_;
    while (to > from && is_blank(text_[to - 1])) --to;
    add(TokenKind::comment, from, to, std::string(text_.substr(from, to - from)));
  }

  void lex_name() {
    const std::size_t from = at_;
    while (is_word(peek()) || (peek() == '.' && is_letter(peek(1)))) ++at_;
    if (at_ - from > program::max_name)
      findings_.lexical_error("bad-name", place(from, at_),
                              fmt::format("a name of {} characters", at_ - from),
                              fmt::format("it has at most {}", program::max_name));
    add(TokenKind::name, from, at_, base::lower(text_.substr(from, at_ - from)));
  }

  void lex_digits(std::string& number) {
    while (is_digit(peek())) number += text_[at_++];
  }

  void lex_number() {
    const std::size_t from = at_;
    std::string number;
    bool is_real = false;
    lex_digits(number);
    if (peek() == '.' && peek(1) != '.') {
      is_real = true;
      number += text_[at_++];
      lex_digits(number);
    }
    const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 2 : 1;
    const char mark = peek();
    if ((mark == 'e' || mark == 'E' || mark == 'd' || mark == 'D') && is_digit(peek(sign))) {
      is_real = true;
      number += 'e';
      if (peek(1) == '-') number += '-';
      at_ += sign;
      lex_digits(number);
    }
    if (is_word(peek())) {
      while (is_word(peek())) ++at_;
      findings_.lexical_error("bad-number", place(from, at_),
                              fmt::format("'{}' is not a number", text_.substr(from, at_ - from)),
                              "names begin with a letter; a number is like 12, 1.5 or 1.0e-3");
    }
    add(is_real ? TokenKind::real : TokenKind::integer, from, at_, std::move(number));
  }

  void lex_string() {
    const std::size_t from = at_++;
    std::string value;
    while (at_ < text_.size() && peek() != '"' && peek() != '\n') {
      const char c = peek();
      if (c == '\\' && lex_escape(value)) continue;
      if ((static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\r') || c == 0x7f) {
        findings_.lexical_error("bad-string", place(at_, at_ + 1), "a control character in a text",
                                "take it out, or write \\n or \\t");
      } else if (c != '\r') {
        value += c;
      }
      ++at_;
    }
    if (peek() == '"') {
      ++at_;
    } else {
      findings_.lexical_error("unterminated-string", place(from, at_), "this text has no end",
                              "close it with \" on the same line");
    }
    if (value.size() > program::max_text)
      findings_.lexical_error("bad-string", place(from, at_),
                              fmt::format("a text of {} characters", value.size()),
                              fmt::format("it has at most {}", program::max_text));
    add(TokenKind::string, from, at_, std::move(value));
  }

  /// Whether the line has a quote from there on. The last one of a line closes its text, whatever
  /// stands before it: "a\" of programs of ACES4, where a backslash means nothing.
  [[nodiscard]] bool has_quote(std::size_t from) const {
    const std::size_t stop = text_.find_first_of("\"\n", from);
    return stop != std::string_view::npos && text_[stop] == '"';
  }

  /// Other backslashes stand for themselves, as programs of ACES4 expect.
  bool lex_escape(std::string& value) {
    switch (peek(1)) {
      case 'n':
        value += '\n';
        break;
      case 't':
        value += '\t';
        break;
      case '"':
        if (!has_quote(at_ + 2)) return false;
        value += '"';
        break;
      case '\\':
        value += '\\';
        break;
      default:
        return false;
    }
    at_ += 2;
    return true;
  }

  /// Operators of other languages: a finding, and then ours for it, so that there is only one.
  bool lex_foreign() {
    for (const auto& [theirs, ours] : foreign_operators) {
      if (base::lower(text_.substr(at_, theirs.size())) != theirs) continue;
      const std::size_t from = at_;
      at_ += theirs.size();
      findings_.lexical_error("bad-character", place(from, at_),
                              fmt::format("'{}' is not an operator", theirs),
                              fmt::format("did you mean '{}'?", ours));
      add(is_letter(ours[0]) ? TokenKind::name : TokenKind::symbol, from, at_, std::string(ours));
      return true;
    }
    return false;
  }

  void lex_continuation() {
    const std::size_t from = at_++;
    while (is_blank(peek())) ++at_;
    if (peek() == '#') lex_comment();
    if (peek() == '\n') {
      next_line();
    } else if (at_ < text_.size()) {
      findings_.lexical_error("stray-continuation", place(from, from + 1),
                              "'&' in the middle of a line",
                              "'&' goes at the end of a line that continues on the next one");
    }
  }

  bool lex_symbol() {
    for (const auto symbol : symbols)
      if (text_.substr(at_, symbol.size()) == symbol) {
        at_ += symbol.size();
        add(TokenKind::symbol, at_ - symbol.size(), at_, std::string(symbol));
        return true;
      }
    return false;
  }

  /// One finding for a run of bytes that fit nothing.
  void skip_unknown() {
    const std::size_t from = at_;
    const auto is_unknown = [&] {
      const auto c = static_cast<unsigned char>(peek());
      return at_ < text_.size() && c != '\n' && (c >= 0x7f || c < 0x20) && !is_blank(peek());
    };
    ++at_;
    while (is_unknown()) ++at_;
    const auto first = static_cast<unsigned char>(text_[from]);
    findings_.lexical_error("bad-character", place(from, at_),
                            first > 0x20 && first < 0x7f
                                ? fmt::format("'{}' has no meaning here", text_[from])
                                : std::string("characters that SIAL does not know"),
                            std::string(detail::hint_for_character(text_[from])));
  }

  std::uint32_t file_;
  Findings& findings_;
  std::string_view text_;
  Tokens tokens_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  std::uint32_t line_ = 1;
};

std::string_view name_of(TokenKind kind) {
  constexpr std::array<std::string_view, 8> names = {"name",   "integer", "real",     "string",
                                                     "symbol", "comment", "new_line", "end"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace

bool is_binary(std::string_view text) {
  return text.starts_with(program::file_magic) || text.find('\0') != text.npos;
}

void report_binary(const Source& source, Place at, Findings& findings) {
  if (source.text.starts_with(program::file_magic))
    findings.error("compiled-program", at,
                   fmt::format("'{}' is a compiled program, not its source", source.path),
                   "blockyard dump shows what it holds, blockyard run runs it");
  else
    findings.error("not-text", at, fmt::format("'{}' is not a text file", source.path),
                   "SIAL is written in ASCII or UTF-8");
}

Tokens lex(std::uint32_t file, Findings& findings) { return Lexer(file, findings).run(); }

std::string print_tokens(const Tokens& tokens) {
  std::string result;
  for (const auto& token : tokens)
    result += fmt::format("{}:{} {} {}\n", token.at.line, token.at.column, name_of(token.kind),
                          token.text);
  return result;
}

}  // namespace blockyard::sial
