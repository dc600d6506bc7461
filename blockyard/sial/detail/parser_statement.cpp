// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "blockyard/sial/detail/foreign.h"
#include "blockyard/sial/detail/parser.h"

namespace blockyard::sial::detail {
namespace {

using ast::Expr;
using ast::ExprKind;

constexpr std::array<std::string_view, 4> operators = {"=", "+=", "-=", "*="};

bool is_operator(const Token& token) {
  return token.kind == TokenKind::symbol &&
         std::find(operators.begin(), operators.end(), token.text) != operators.end();
}

}  // namespace

/// print_scalar(x) and its kin, unless the program has an array of that name.
bool Parser::is_old_print(const Token& token) const {
  const bool is_word =
      token.text == "print_scalar" || token.text == "print_index" || token.text == "print_int";
  return is_word && !is_variable(token);
}

void Parser::parse_statement(ast::Body& body) {
  const Token& first = peek();
  const bool is_top = open_.size() == 1;
  if (first.kind != TokenKind::name) {
    unexpected("a statement", is_symbol(first, "/") ? "comments begin with '#'" : "");
    skip_line();
    return;
  }
  replace_foreign_declaration();
  if (at_declaration() && !is_operator(peek(1))) {
    if (!is_top)
      fail("misplaced-declaration", first.at, "a declaration inside of a procedure or a loop",
           "all names belong to the whole program: declare them before the first statement");
    else if (!body.empty())
      fail("misplaced-declaration", first.at, "a declaration after the first statement",
           "move it up: declarations come before statements");
    parse_declaration();
    return;
  }
  if (first.text == "proc") {
    if (!is_top)
      fail("nested-proc", first.at, "a procedure inside of another block",
           "move it to the declarations of the program");
    has_failed_ = false;
    parse_proc();
    return;
  }
  if (first.text == "import") {
    fail("misplaced-import", first.at, "an import inside of the program",
         "imports come first, before 'sial'");
    has_failed_ = false;
    parse_import();
    return;
  }
  ast::Statement statement;
  statement.at = first.at;
  statement.verb = first.text;
  const bool is_assignment = is_operator(peek(1)) || is_symbol(peek(1), "[") ||
                             (is_symbol(peek(1), "(") && !is_old_print(first));
  if (!is_reserved(first.text) && is_assignment && first.text != "where") {
    parse_assignment(statement);
    end_line();
    body.push_back(std::move(statement));
    return;
  }
  next();
  if (parse_control(statement) || parse_foreign_loop(statement)) {
    body.push_back(std::move(statement));
    return;
  }
  const bool is_known = parse_simple(statement);
  const bool is_whole = is_known && !has_failed_;
  end_line();
  if (is_whole) body.push_back(std::move(statement));
}

std::string Parser::parse_operator() {
  if (is_operator(peek())) return next().text;
  unexpected("=, +=, -= or *=");
  return "=";
}

void Parser::parse_assignment(ast::Statement& statement) {
  ast::Assign assign;
  assign.target = parse_name();
  assign.op = parse_operator();
  assign.value = parse_expression();
  statement.verb = assign.op;
  statement.what = std::move(assign);
}

bool Parser::parse_simple(ast::Statement& statement) {
  const std::string& verb = statement.verb;
  if (verb == "get" || verb == "request" || verb == "prequest" || verb == "put" ||
      verb == "prepare") {
    parse_transfer(statement);
  } else if (verb == "allocate" || verb == "deallocate") {
    parse_allocate(statement);
  } else if (verb == "create" || verb == "delete" || verb == "destroy") {
    statement.what = ast::ArrayWide{expect_name("an array")};
    if (is_symbol(peek(), "[") || is_symbol(peek(), "(")) {
      Token none = peek();
      static_cast<void>(parse_positions(none));
    }
  } else if (verb == "clear") {
    statement.what = ast::Clear{expect_name("an array")};
    if (is_symbol(peek(), "[") || is_symbol(peek(), "("))
      fail("clear-of-a-block", peek().at, "'clear' is for whole arrays",
           "leave the indexes out, or assign to the block: a[i,j] = 0.0");
  } else if (verb == "execute") {
    parse_execute(statement);
  } else if (verb == "call") {
    statement.what = ast::Call{expect_name("the name of a procedure")};
    if (is_symbol(peek(), "("))
      unexpected("the end of the statement", "procedures have no arguments: they use all names");
  } else if (verb == "exit" || verb == "cycle" || verb == "return" || verb == "stop") {
    ast::Leave leave;
    if (!at_line_end() && (verb == "cycle" || verb == "exit"))
      leave.index = expect_name("the index of the loop");
    statement.what = std::move(leave);
  } else if (verb == "sip_barrier" || verb == "server_barrier") {
    if (peek().kind == TokenKind::name) next();
    statement.what = ast::Barrier{};
  } else if (verb == "collective") {
    ast::Collective sum;
    sum.target = expect_name("a scalar");
    sum.op = parse_operator();
    sum.value = parse_expression();
    statement.what = std::move(sum);
  } else if (verb == "assert_same") {
    statement.what = ast::AssertSame{expect_name("a scalar")};
  } else if (verb == "broadcast_from") {
    ast::Broadcast broadcast;
    broadcast.worker = parse_unary();
    broadcast.array = expect_name("a static array");
    statement.what = std::move(broadcast);
  } else if (verb == "set_persistent" || verb == "restore_persistent") {
    ast::Persist persist;
    persist.target = expect_name("an array or a scalar");
    if (peek().kind == TokenKind::string)
      persist.label = {peek().text, peek().at}, next();
    else
      unexpected("a label in quotes");
    statement.what = std::move(persist);
  } else if (verb.starts_with("print")) {
    parse_print(statement);
  } else if (verb.starts_with("gpu_")) {
    ast::GpuHint hint;
    if (!at_line_end()) hint.operand = parse_unary();
    statement.what = std::move(hint);
  } else if (verb == "where") {
    fail("misplaced-where", statement.at, "a 'where' that does not follow its loop",
         "'where' lines come directly after do or pardo; else use 'if'");
  } else if (is_symbol(peek(), "==") && declared_.contains(verb)) {
    unexpected("an assignment", "did you mean '='?");
  } else {
    const std::string near = nearest_statement(verb);
    fail("unknown-statement", statement.at, fmt::format("'{}' begins no statement", verb),
         near.empty() ? "an assignment is like 'x = 1.0' or 'a[i,j] += b[i,j]'"
                      : fmt::format("did you mean '{}'?", near));
  }
  return !has_failed_;
}

void Parser::parse_transfer(ast::Statement& statement) {
  const bool is_put = statement.verb == "put" || statement.verb == "prepare";
  if (peek().kind != TokenKind::name || is_reserved(peek().text)) {
    unexpected("a block like a[i,j]");
    return;
  }
  Expr block = parse_name();
  if (!is_put) {
    // The old notation may name an index after the block; prequest gives a second block's.
    while (peek().kind == TokenKind::name) next();
    statement.what = ast::Get{std::move(block)};
    return;
  }
  ast::Put put;
  put.block = std::move(block);
  put.op = parse_operator();
  put.value = parse_expression();
  statement.what = std::move(put);
}

void Parser::parse_allocate(ast::Statement& statement) {
  ast::Allocate allocate;
  const std::size_t sign = is_symbol(peek(), "-") ? 1 : 0;
  if (is_name(peek(sign), "contiguous")) {
    allocate.is_contiguous = true;
    at_ += sign + 1;
  }
  if (peek().kind != TokenKind::name || is_reserved(peek().text))
    unexpected("a local array");
  else
    allocate.target = parse_name();
  statement.what = std::move(allocate);
}

void Parser::parse_execute(ast::Statement& statement) {
  if (is_name(peek(), "sip_barrier") || is_name(peek(), "server_barrier")) {
    // The notation of ACES III.
    statement.verb = next().text;
    if (peek().kind == TokenKind::name) next();
    statement.what = ast::Barrier{};
    return;
  }
  ast::Execute execute;
  execute.special = expect_name("the name of a super instruction");
  while (!at_line_end() && !has_failed_) {
    if (is_symbol(peek(), ",")) {
      fail("stray-comma", peek().at, "a comma between the arguments of execute",
           "arguments stand side by side: execute name a[i,j] x");
      break;
    }
    execute.arguments.push_back(parse_unary());
  }
  statement.what = std::move(execute);
}

void Parser::parse_print(ast::Statement& statement) {
  const std::string& verb = statement.verb;
  if (verb != "print" && verb != "println" && verb != "print_scalar" && verb != "print_index" &&
      verb != "print_int") {
    fail("unknown-statement", statement.at, fmt::format("'{}' begins no statement", verb),
         "write print or println");
    return;
  }
  ast::Print print;
  if (at_line_end())
    unexpected("what to print");
  else
    print.value = parse_expression();
  if (!at_line_end())
    unexpected("the end of the statement", "print takes one value: write a print for each");
  statement.what = std::move(print);
}

}  // namespace blockyard::sial::detail
