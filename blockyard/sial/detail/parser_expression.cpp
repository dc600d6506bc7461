// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "blockyard/sial/detail/parser.h"

namespace blockyard::sial::detail {
namespace {

using ast::Expr;
using ast::ExprKind;

constexpr std::array<std::string_view, 6> relations = {"<", ">", "<=", ">=", "==", "!="};
constexpr std::array<std::string_view, 5> functions = {"sqrt", "abs", "conj", "real", "imag"};

template <class List>
bool contains(const List& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

/// From the beginning of `from` to the end of `to`, as far as they share a line.
Place span(Place from, Place to) {
  if (from.line == to.line && to.column + to.length > from.column)
    from.length = to.column + to.length - from.column;
  return from;
}

Expr leaf(ExprKind kind, const Token& token) { return {kind, token.at, token.text, {}, {}}; }

Expr node(ExprKind kind, Place at, std::string text, Expr part) {
  Expr result{kind, span(at, part.at), std::move(text), {}, {}};
  result.parts.push_back(std::move(part));
  return result;
}

/// Adds a part to a chain, which `left` becomes if it is none yet.
void extend(Expr& chain, ExprKind kind, bool& is_chain, char op, Expr part) {
  if (!is_chain) {
    Expr first = std::move(chain);
    chain = Expr{kind, first.at, "", {}, {}};
    chain.parts.push_back(std::move(first));
    is_chain = true;
  }
  chain.at = span(chain.at, part.at);
  chain.operators.push_back(op);
  chain.parts.push_back(std::move(part));
}

}  // namespace

Expr Parser::parse_expression() {
  if (depth_ >= most_depth) {
    fail("too-deep", peek().at, "more than 100 nested brackets and blocks",
         "give names to parts of it");
    while (!at_line_end()) next();
    return {};
  }
  ++depth_;
  Expr result = parse_any();
  --depth_;
  return result;
}

/// Of if and where.
Expr Parser::parse_condition() {
  Expr left = parse_expression();
  if (!is_symbol(peek(), "=")) return left;
  fail("assignment-in-condition", peek().at, "'=' assigns a value", "did you mean '=='?");
  next();
  Expr right = parse_expression();
  Expr result{ExprKind::relation, span(left.at, right.at), "==", {}, {}};
  result.parts.push_back(std::move(left));
  result.parts.push_back(std::move(right));
  return result;
}

Expr Parser::parse_any() {
  Expr result = parse_all();
  bool is_chain = false;
  while (accept_name("or")) extend(result, ExprKind::any, is_chain, '|', parse_all());
  return result;
}

Expr Parser::parse_all() {
  Expr result = parse_not();
  bool is_chain = false;
  while (accept_name("and")) extend(result, ExprKind::all, is_chain, '&', parse_not());
  return result;
}

Expr Parser::parse_not() {
  if (!is_name(peek(), "not") || is_variable(peek())) return parse_relation();
  bool is_negated = false;
  const Place at = peek().at;
  while (accept_name("not")) is_negated = !is_negated;
  Expr part = parse_relation();
  if (!is_negated) part = node(ExprKind::not_, at, "", std::move(part));
  return node(ExprKind::not_, at, "", std::move(part));
}

Expr Parser::parse_relation() {
  Expr left = parse_sum();
  if (is_name(peek(), "exists")) {
    next();
    const Place at = left.at;
    return node(ExprKind::exists, at, "", std::move(left));
  }
  if (peek().kind != TokenKind::symbol || !contains(relations, peek().text)) return left;
  const std::string op = next().text;
  Expr right = parse_sum();
  Expr result{ExprKind::relation, span(left.at, right.at), op, {}, {}};
  result.parts.push_back(std::move(left));
  result.parts.push_back(std::move(right));
  if (peek().kind == TokenKind::symbol && contains(relations, peek().text))
    fail("chained-relation", peek().at, "a relation compares two values",
         "join two relations with 'and'");
  return result;
}

Expr Parser::parse_sum() {
  Expr result = parse_product();
  bool is_chain = false;
  while (is_symbol(peek(), "+") || is_symbol(peek(), "-")) {
    const char op = next().text[0];
    extend(result, ExprKind::sum, is_chain, op, parse_product());
  }
  return result;
}

Expr Parser::parse_product() {
  Expr result = parse_power();
  bool is_chain = false;
  while (is_symbol(peek(), "*") || is_symbol(peek(), "/") || is_symbol(peek(), "^")) {
    const char op = next().text[0];
    extend(result, ExprKind::product, is_chain, op, parse_power());
  }
  return result;
}

Expr Parser::parse_power() {
  Expr result = parse_unary();
  bool is_chain = false;
  while (accept_symbol("**")) extend(result, ExprKind::power, is_chain, 'p', parse_unary());
  return result;
}

bool Parser::at_cast() const {
  return is_symbol(peek(), "(") && is_symbol(peek(2), ")") &&
         (is_name(peek(1), "int") || is_name(peek(1), "scalar") || is_name(peek(1), "index"));
}

Expr Parser::parse_unary() {
  const bool is_function =
      peek().kind == TokenKind::name && contains(functions, peek().text) && !is_variable(peek());
  const bool is_complex =
      is_name(peek(), "complex") && is_symbol(peek(1), "(") && !is_variable(peek());
  if (is_complex) return parse_complex();
  if (!is_symbol(peek(), "-") && !at_cast() && !is_function) return parse_primary();
  const Token& first = peek();
  if (depth_ >= most_depth) return parse_expression();
  ++depth_;
  Expr result;
  if (at_cast()) {
    next();
    const std::string type = next().text;
    next();
    result = node(ExprKind::cast, first.at, type, parse_unary());
  } else if (is_function) {
    next();
    result = node(ExprKind::function, first.at, first.text, parse_unary());
  } else {
    next();
    result = node(ExprKind::negate, first.at, "", parse_unary());
  }
  --depth_;
  return result;
}

/// complex(real part, imaginary part)
Expr Parser::parse_complex() {
  Expr result = leaf(ExprKind::function, next());
  next();
  result.parts.push_back(parse_expression());
  if (expect_symbol(",", "and the imaginary part")) {
    result.parts.push_back(parse_expression());
    const Place closing = peek().at;
    if (expect_symbol(")", "after the imaginary part")) result.at = span(result.at, closing);
  }
  if (result.parts.size() < 2) result.kind = ExprKind::bad;
  return result;
}

Expr Parser::parse_primary() {
  const Token& token = peek();
  switch (token.kind) {
    case TokenKind::integer:
      next();
      return leaf(ExprKind::integer, token);
    case TokenKind::real:
      next();
      return leaf(ExprKind::real, token);
    case TokenKind::string:
      next();
      return leaf(ExprKind::text, token);
    case TokenKind::name:
      return parse_name();
    default:
      break;
  }
  if (!accept_symbol("(")) {
    unexpected("a value");
    return {};
  }
  Expr result = parse_expression();
  const Place closing = peek().at;
  if (expect_symbol(")", "to close the bracket")) result.at = span(token.at, closing);
  return result;
}

Expr Parser::parse_name() {
  const Token& token = peek();
  if (is_reserved(token.text)) {
    unexpected("a value");
    return {};
  }
  next();
  if (is_symbol(peek(), "[") || is_symbol(peek(), "(")) return parse_positions(token);
  return leaf(ExprKind::name, token);
}

Expr Parser::parse_positions(const Token& array) {
  Expr result = leaf(ExprKind::block, array);
  const std::string closer = next().text == "[" ? "]" : ")";
  do {
    result.parts.push_back(parse_position());
  } while (accept_symbol(","));
  const Place closing = peek().at;
  if (expect_symbol(closer, "after the indexes")) result.at = span(array.at, closing);
  return result;
}

Expr Parser::parse_position() {
  const Token& token = peek();
  if (accept_symbol("*")) return leaf(ExprKind::wildcard, token);
  Expr low = parse_expression();
  if (!accept_symbol(":")) return low;
  Expr high = parse_expression();
  Expr result{ExprKind::range, span(low.at, high.at), "", {}, {}};
  result.parts.push_back(std::move(low));
  result.parts.push_back(std::move(high));
  return result;
}

}  // namespace blockyard::sial::detail
