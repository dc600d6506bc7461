// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "blockyard/sial/detail/foreign.h"
#include "blockyard/sial/detail/parser.h"

namespace blockyard::sial::detail {
namespace {

constexpr std::array<std::string_view, 9> closers = {
    "enddo", "endpardo", "endif", "else", "elseif", "endproc", "endsection", "gpu_off", "endsial"};

std::string joined(const std::vector<ast::Name>& names) {
  std::string result;
  for (const auto& name : names) result += (result.empty() ? "" : ",") + name.text;
  return result;
}

bool closes(std::string_view word, std::string_view closer) {
  return word == closer || (closer == "endif" && (word == "else" || word == "elseif"));
}

}  // namespace

/// Statements up to the word that closes this block, or, if that is missing, an outer one.
ast::Body Parser::parse_body(std::string_view closer) {
  ast::Body body;
  if (depth_ >= most_depth) {
    fail("too-deep", peek().at, "more than 100 nested brackets and blocks",
         "move the inner part to a proc");
    at_ = tokens_.size() - 1;
    return body;
  }
  ++depth_;
  open_.emplace_back(closer);
  for (skip_empty_lines(); !at_end() && !at_closer(closer); skip_empty_lines())
    parse_statement(body);
  open_.pop_back();
  --depth_;
  return body;
}

/// "end do" and "endfor": a finding, and then our word for it.
void Parser::replace_foreign_end(std::string_view innermost) {
  const Token& first = peek();
  const Token& second = peek(1);
  if (is_variable(first) || second.kind == TokenKind::symbol) return;
  const bool has_name = second.kind == TokenKind::name;
  const std::string_view ours =
      end_meant_by(first.text, has_name ? second.text : std::string_view(), innermost);
  if (ours.empty()) return;
  Place at = first.at;
  std::string theirs = first.text;
  if (theirs == "end" && has_name) {
    at.length = second.at.column + second.at.length - at.column;
    theirs += " " + second.text;
    next();
  }
  findings_.error("unknown-statement", at, fmt::format("'{}' begins no statement", theirs),
                  fmt::format("did you mean '{}'?", ours));
  tokens_[at_].text = ours;
}

/// Whether the body that ends with `closer` ends here.
bool Parser::at_closer(std::string_view closer) {
  for (; !at_end(); skip_empty_lines()) {
    if (peek().kind != TokenKind::name) return false;
    replace_foreign_end(closer);
    const Token& token = peek();
    if (std::find(closers.begin(), closers.end(), token.text) == closers.end()) return false;
    if (closes(token.text, closer)) return true;
    for (const auto& outer : open_)
      if (closes(token.text, outer)) return true;
    fail("stray-end", token.at, fmt::format("'{}' without a beginning", token.text),
         fmt::format("this place is closed by '{}'", closer));
    skip_line();
  }
  return true;
}

void Parser::expect_closer(std::string_view closer, Place opened, std::string_view opener) {
  if (accept_name(closer)) return;
  if (depth_ + 1 < most_depth || !at_end())
    findings_.error("unclosed", opened, fmt::format("this '{}' has no '{}'", opener, closer),
                    fmt::format("write '{}' where it ends", closer));
  has_failed_ = true;
}

/// Parses what follows the body of a loop. A missing closer leaves the line to the outer block.
void Parser::parse_loop_end(std::string_view closer, const std::vector<ast::Name>& indexes,
                            const std::optional<ast::Name>& parent, Place opened) {
  const std::string_view opener = closer.substr(3);
  if (!is_name(peek(), closer)) {
    expect_closer(closer, opened, opener);
    has_failed_ = false;
    return;
  }
  next();
  if (!at_line_end()) {
    const Place at = peek().at;
    std::vector<ast::Name> closing;
    do {
      closing.push_back(expect_name("the index of the loop"));
    } while (accept_symbol(","));
    std::optional<ast::Name> closing_parent;
    if (accept_name("in")) closing_parent = expect_name("the parent index");
    const bool fits = joined(closing) == joined(indexes) &&
                      (!closing_parent || (parent && closing_parent->text == parent->text));
    if (!fits)
      fail("wrong-end-index", at,
           fmt::format("'{} {}' ends the loop over {}", closer, joined(closing), joined(indexes)),
           fmt::format("write '{} {}', or close the inner loop first", closer, joined(indexes)));
  }
  end_line();
}

std::vector<ast::Expr> Parser::parse_where() {
  std::vector<ast::Expr> where;
  for (skip_empty_lines(); is_name(peek(), "where"); skip_empty_lines()) {
    next();
    where.push_back(parse_condition());
    end_line();
  }
  return where;
}

void Parser::parse_do(ast::Statement& statement) {
  ast::Do loop;
  loop.index = expect_name("the index of the loop");
  if (is_symbol(peek(), "="))
    fail("range-of-a-loop", peek().at, "a loop has no range of its own",
         fmt::format("the declaration of '{0}' has it: write 'do {0}'; 'where' takes a part of it",
                     loop.index.text));
  if (accept_name("in")) loop.parent = expect_name("the parent index");
  if (is_symbol(peek(), ","))
    unexpected("the end of the statement", "a do has one index: write another do within it");
  end_line();
  loop.where = parse_where();
  loop.body = parse_body("enddo");
  parse_loop_end("enddo", {loop.index}, loop.parent, statement.at);
  statement.what = std::move(loop);
}

void Parser::parse_pardo(ast::Statement& statement) {
  ast::Pardo loop;
  do {
    loop.indexes.push_back(expect_name("the indexes of the loop"));
  } while (accept_symbol(","));
  if (accept_name("in")) loop.parent = expect_name("the parent index");
  if (peek().kind == TokenKind::string) {
    loop.pragma = ast::Name{peek().text, peek().at};
    next();
  }
  if (peek().kind == TokenKind::name && !is_name(peek(), "where"))
    unexpected("',' or the end of the line", "commas stand between indexes: pardo i, j");
  end_line();
  loop.where = parse_where();
  loop.body = parse_body("endpardo");
  parse_loop_end("endpardo", loop.indexes, loop.parent, statement.at);
  statement.what = std::move(loop);
}

void Parser::parse_if(ast::Statement& statement) {
  ast::If choice;
  bool is_open = true;
  while (is_open) {
    ast::Branch branch;
    branch.condition = parse_condition();
    end_line();
    branch.body = parse_body("endif");
    choice.branches.push_back(std::move(branch));
    is_open = false;
    if (accept_name("elseif") || (is_name(peek(), "else") && is_name(peek(1), "if"))) {
      if (is_name(peek(), "else")) at_ += 2;
      is_open = true;
    }
  }
  if (accept_name("else")) {
    end_line();
    choice.otherwise = parse_body("endif");
    if (is_name(peek(), "else") || is_name(peek(), "elseif")) {
      fail("second-else", peek().at, "an 'else' after the 'else'",
           "the 'else' without a condition comes last");
      skip_line();
      static_cast<void>(parse_body("endif"));
    }
  }
  if (is_name(peek(), "endif")) {
    next();
    end_line();
  } else {
    expect_closer("endif", statement.at, "if");
    has_failed_ = false;
  }
  statement.what = std::move(choice);
}

ast::Body Parser::parse_plain_block(std::string_view closer) {
  const Place opened = peek().at;
  end_line();
  ast::Body body = parse_body(closer);
  if (is_name(peek(), closer)) {
    next();
    end_line();
  } else {
    expect_closer(closer, opened, closer == "gpu_off" ? "gpu_on" : "section");
    has_failed_ = false;
  }
  return body;
}

/// "for i" and its kin are a do over i, "while" an if, once they are reported.
bool Parser::parse_foreign_loop(ast::Statement& statement) {
  const std::string_view ours = loop_meant_by(statement.verb);
  if (statement.verb == "while") {
    parse_while(statement);
    return true;
  }
  if (ours.empty() || peek().kind != TokenKind::name) return false;
  fail("unknown-statement", statement.at, fmt::format("'{}' begins no statement", statement.verb),
       fmt::format("did you mean '{}'?", ours));
  statement.verb = ours;
  return parse_control(statement);
}

void Parser::parse_while(ast::Statement& statement) {
  fail("unknown-statement", statement.at, "'while' begins no statement",
       "loops run over an index: with 'index k = 1:10', write 'do k', and 'exit' to leave it");
  ast::If choice;
  choice.branches.emplace_back();
  choice.branches.back().condition = parse_condition();
  skip_line();
  choice.branches.back().body = parse_body("enddo");
  if (accept_name("enddo")) skip_line();
  statement.what = std::move(choice);
}

bool Parser::parse_control(ast::Statement& statement) {
  const std::string& verb = statement.verb;
  if (verb == "do") {
    parse_do(statement);
  } else if (verb == "pardo") {
    parse_pardo(statement);
  } else if (verb == "if") {
    parse_if(statement);
  } else if (verb == "section") {
    statement.what = ast::Section{parse_plain_block("endsection")};
  } else if (verb == "gpu_on") {
    statement.what = ast::Gpu{parse_plain_block("gpu_off")};
  } else {
    return false;
  }
  return true;
}

}  // namespace blockyard::sial::detail
