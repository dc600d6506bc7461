// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/format.h"

#include <algorithm>
#include <array>
#include <set>

#include "blockyard/array/index.h"
#include "blockyard/base/text.h"
#include "blockyard/sial/detail/parser.h"
#include "blockyard/sial/lex.h"
#include "blockyard/sial/parse.h"

namespace blockyard::sial {
namespace {

constexpr std::array<std::string_view, 7> openers = {"do",      "pardo",  "if",  "proc",
                                                     "section", "gpu_on", "sial"};
constexpr std::array<std::string_view, 9> closers = {
    "enddo", "endpardo", "endif", "endproc", "endsection", "gpu_off", "endsial", "else", "elseif"};
constexpr std::array<std::string_view, 6> functions = {"sqrt", "abs",  "conj",
                                                       "real", "imag", "complex"};
constexpr std::array<std::string_view, 5> joiners = {"and", "or", "not", "exists", "in"};
constexpr std::array<std::string_view, 3> old_prints = {"print_scalar", "print_index", "print_int"};
constexpr std::array<std::string_view, 10> spaced = {"=", "+=", "-=", "*=", "<",
                                                     ">", "<=", ">=", "==", "!="};

template <class List>
bool contains(const List& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

std::set<std::string, std::less<>> names_of(const ast::Unit& unit) {
  std::set<std::string, std::less<>> result;
  for (const auto& declaration : unit.declarations) result.insert(declaration.name.text);
  for (const auto& proc : unit.procs) result.insert(proc.name.text);
  return result;
}

class Formatter {
 public:
  Formatter(std::string_view source, const Tokens& tokens,
            std::set<std::string, std::less<>> declared)
      : source_(source), tokens_(tokens), declared_(std::move(declared)) {
    starts_.push_back(0);
    for (std::size_t k = 0; k < source.size(); ++k)
      if (source[k] == '\n') starts_.push_back(k + 1);
  }

  std::string run() {
    std::vector<Token> line;
    bool was_empty = true;  // no empty lines at the top
    for (const auto& token : tokens_) {
      if (token.kind != TokenKind::new_line && token.kind != TokenKind::end) {
        line.push_back(token);
        continue;
      }
      const bool is_empty = line.empty();
      if (!is_empty) write(modernise(std::move(line)));
      if (is_empty && !was_empty && token.kind == TokenKind::new_line) out_ += '\n';
      was_empty = is_empty;
      line.clear();
    }
    while (out_.ends_with("\n\n")) out_.pop_back();
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string raw(const Token& token) const {
    return std::string(
        source_.substr(starts_[token.at.line - 1] + token.at.column - 1, token.at.length));
  }

  /// The word at the head of the line if it is one of the language, else "".
  [[nodiscard]] std::string_view verb_of(const std::vector<Token>& line) const {
    const auto first = std::find_if(line.begin(), line.end(), [](const Token& token) {
      return token.kind != TokenKind::comment;
    });
    if (first == line.end() || first->kind != TokenKind::name) return {};
    if (declared_.contains(first->text)) return {};
    return first->text;
  }

  /// Old words and forms become new ones; `text` of a changed token is what is to be written.
  std::vector<Token> modernise(std::vector<Token> line) {
    const std::string verb(verb_of(line));
    const auto end_of_code = [&] {
      return static_cast<std::size_t>(
          std::find_if(line.begin(), line.end(),
                       [](const Token& t) { return t.kind == TokenKind::comment; }) -
          line.begin());
    };
    const auto cut = [&](std::size_t from) {
      if (from >= end_of_code()) return;
      line.erase(line.begin() + static_cast<std::ptrdiff_t>(from),
                 line.begin() + static_cast<std::ptrdiff_t>(end_of_code()));
    };
    for (auto& token : line)
      if (token.kind != TokenKind::symbol &&
          (token.kind != TokenKind::name || !detail::is_reserved(token.text)))
        token.text = raw(token);
    if (line.front().kind != TokenKind::name) return line;
    if (contains(old_prints, verb)) line.front().text = "print";
    if (verb == "sip_barrier" || verb == "server_barrier") cut(1);
    if (verb == "create" || verb == "delete" || verb == "destroy") cut(2);
    if (verb == "prequest") line.front().text = "request";
    if (verb == "request" || verb == "prequest" || verb == "get") {
      std::size_t last = end_of_code();
      while (last > 0 && !is_symbol(line[last - 1], ")") && !is_symbol(line[last - 1], "]")) --last;
      if (last > 0) cut(last);
    }
    if (line.size() > 1 && is_symbol(line[1], "-") && verb.ends_with("allocate"))
      line.erase(line.begin() + 1);
    if (verb == "elseif") line.front().text = "else if";
    const bool is_declaration = verb == "predefined" || contains(array::kind_keywords, verb);
    if (is_declaration && line.size() > 1 && line[1].kind == TokenKind::name) {
      // Behind '=' stands the range of an index; the commas of an array's list stay.
      const auto range =
          std::ranges::find_if(line, [](const Token& t) { return is_symbol(t, "="); });
      for (auto token = range; token != line.end(); ++token)
        if (is_symbol(*token, ",")) token->text = ":";
    }
    return line;
  }

  void write(const std::vector<Token>& line) {
    const std::string verb = base::lower(line.front().text.substr(0, line.front().text.find(' ')));
    const bool is_word = line.front().kind == TokenKind::name && !declared_.contains(verb);
    if (is_word && contains(closers, verb) && depth_ > 0) --depth_;
    indent(0);
    is_execute_ = is_word && verb == "execute";
    brackets_.clear();
    const auto is_comment = [](const Token& t) { return t.kind == TokenKind::comment; };
    const auto code_end = static_cast<std::size_t>(
        std::find_if_not(line.rbegin(), line.rend(), is_comment).base() - line.begin());
    // One comment stays on the line of the code; further ones, of empty continued lines, follow.
    const std::size_t end = std::min(line.size(), code_end + 1);
    for (std::size_t k = 0; k < end; ++k) write_token(line, k, k < code_end);
    out_ += '\n';
    if (is_word && (contains(openers, verb) || verb == "else")) ++depth_;
    for (std::size_t k = end; k < line.size(); ++k) {
      indent(0);
      out_ += line[k].text + '\n';
    }
  }

  void indent(std::size_t more) {
    line_start_ = out_.size();
    out_.append(2 * depth_ + more, ' ');
  }

  /// `is_inside`: there is code in the statement from here on.
  void write_token(const std::vector<Token>& line, std::size_t k, bool is_inside) {
    const Token& token = line[k];
    const Token* before = k > 0 ? &line[k - 1] : nullptr;
    if (token.kind == TokenKind::comment) {
      const bool follows_one = before != nullptr && before->kind == TokenKind::comment;
      if (follows_one) {
        out_ += '\n';
        indent(4);
      }
      write_comment(token, k, is_inside);
      return;
    }
    if (before != nullptr && before->at.line != token.at.line) {
      if (before->kind != TokenKind::comment) out_ += " &";
      out_ += '\n';
      indent(4);
    } else if (before != nullptr && has_space(line, k)) {
      out_ += ' ';
    }
    out_ += text_of(line, k);
  }

  /// Stays in its column if there is room, so that comments set in columns stay so.
  void write_comment(const Token& token, std::size_t k, bool is_inside) {
    if (is_inside) out_ += " &";
    if (k > 0) {
      const std::size_t here = out_.size() - line_start_;
      const std::size_t wanted = token.at.column - 1;
      out_.append(std::max<std::size_t>(wanted > here ? wanted - here : 0, 2), ' ');
    }
    out_ += token.text;
  }

  /// The text of token k; round brackets around indexes become square ones.
  std::string text_of(const std::vector<Token>& line, std::size_t k) {
    const Token& token = line[k];
    if (token.kind != TokenKind::symbol) return token.text;
    if (token.text == "(" || token.text == "[") {
      const bool is_selector = token.text == "[" || is_selector_bracket(line, k);
      brackets_.push_back(is_selector ? ']' : ')');
      return is_selector ? "[" : "(";
    }
    if ((token.text == ")" || token.text == "]") && !brackets_.empty()) {
      const char closer = brackets_.back();
      brackets_.pop_back();
      return {closer};
    }
    return token.text;
  }

  [[nodiscard]] bool is_selector_bracket(const std::vector<Token>& line, std::size_t k) const {
    if (k == 0 || line[k - 1].kind != TokenKind::name) return false;
    if (is_execute_ && k == 2) return false;  // the super instruction's first argument
    const std::string name = base::lower(line[k - 1].text);
    if (declared_.contains(name)) return true;
    return !detail::is_reserved(name) && !contains(functions, name) && !contains(joiners, name) &&
           name != "else if";
  }

  /// Whether the sign at k stands before its one operand.
  [[nodiscard]] bool is_unary(const std::vector<Token>& line, std::size_t k) const {
    if (k == 0 || is_execute_) return true;
    const Token& before = line[k - 1];
    if (before.kind == TokenKind::symbol)
      return before.text != ")" && before.text != "]" ? true : is_cast_end(line, k - 1);
    if (before.kind != TokenKind::name) return false;
    const std::string name = base::lower(before.text);
    if (declared_.contains(name)) return false;
    return detail::is_reserved(name) || contains(functions, name) || contains(joiners, name);
  }

  [[nodiscard]] bool is_cast_end(const std::vector<Token>& line, std::size_t k) const {
    if (k < 2 || !is_symbol(line[k], ")") || !is_symbol(line[k - 2], "(")) return false;
    if (k >= 3 && line[k - 3].kind == TokenKind::name && is_selector_bracket(line, k - 2))
      return false;
    const std::string type = base::lower(line[k - 1].text);
    return type == "int" || type == "scalar" || type == "index";
  }

  /// Whether a space stands between tokens k - 1 and k.
  [[nodiscard]] bool has_space(const std::vector<Token>& line, std::size_t k) const {
    const Token& left = line[k - 1];
    const Token& right = line[k];
    const auto is_one_of = [](const Token& token, std::string_view symbols) {
      return token.kind == TokenKind::symbol && token.text.size() == 1 &&
             symbols.find(token.text) != std::string_view::npos;
    };
    if (is_one_of(right, ",:)]") || is_one_of(left, ",:([")) return false;
    for (const Token* side : {&left, &right})
      if (side->kind == TokenKind::symbol && contains(spaced, side->text)) return true;
    const bool is_index = !brackets_.empty() && brackets_.back() == ']';
    if (is_one_of(left, "+-") && is_unary(line, k - 1)) return false;
    if (is_one_of(right, "+-") && !is_unary(line, k)) return !is_index;
    if (is_one_of(left, "+-")) return !is_index;
    if (is_cast_end(line, k - 1)) return false;
    const auto is_tight = [&](const Token& token) {
      return is_one_of(token, "*/^") || is_symbol(token, "**");
    };
    if (is_tight(left) || is_tight(right)) return false;
    if (is_symbol(right, "[")) return false;
    if (is_symbol(right, "("))
      return !is_selector_bracket(line, k) &&
             !(left.kind == TokenKind::name && contains(functions, base::lower(left.text)));
    return true;
  }

  std::string_view source_;
  const Tokens& tokens_;
  std::set<std::string, std::less<>> declared_;
  std::vector<std::size_t> starts_;  ///< offsets of the lines of the source
  std::string out_;
  std::size_t line_start_ = 0;  ///< in out_
  std::size_t depth_ = 0;
  bool is_execute_ = false;
  std::string brackets_;  ///< closers of the open brackets, as they are written
};

/// Columns count from after the mark.
std::string_view without_mark(std::string_view source) {
  if (source.starts_with(byte_order_mark)) source.remove_prefix(byte_order_mark.size());
  return source;
}

}  // namespace

Formatted format(std::string_view source, std::string_view path) {
  Findings findings;
  if (is_binary(source)) {
    const std::uint32_t empty = findings.add_source({std::string(path), ""});
    report_binary({std::string(path), std::string(source)}, {empty, 1, 1, 1}, findings);
    return {std::string(source), findings.take()};
  }
  const std::uint32_t file = findings.add_source({std::string(path), std::string(source)});
  const Tokens tokens = lex(file, findings);
  const ast::Unit unit = parse(tokens, findings);
  Formatted result;
  if (findings.has_error())
    result.text = source;
  else
    result.text = Formatter(without_mark(source), tokens, names_of(unit)).run();
  result.found = findings.take();
  return result;
}

}  // namespace blockyard::sial
