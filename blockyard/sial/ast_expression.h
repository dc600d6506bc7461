// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "blockyard/sial/findings.h"

/// Expressions as the parser makes them: plain values, names not yet looked up. Chains of the same
/// precedence are flat lists, so the depth of a tree is the depth of brackets in the source.
namespace blockyard::sial::ast {

struct Name {
  std::string text;
  Place at;
};

enum class ExprKind : std::uint8_t {
  bad,       ///< could not be parsed; reported already
  integer,   ///< text: digits
  real,      ///< text: digits with point or exponent
  text,      ///< text: the string
  name,      ///< text: the name
  block,     ///< text: the array; parts: its positions
  wildcard,  ///< `*` as a position
  range,     ///< `lo:hi` as a position
  sum,       ///< parts joined by + and -
  product,   ///< parts joined by * / ^
  power,     ///< parts joined by **, from the left
  negate,    ///< - part
  cast,      ///< (text) part
  function,  ///< text: sqrt abs conj real imag; one part; complex: two
  relation,  ///< text: the operator; two parts
  all,       ///< parts joined by and
  any,       ///< parts joined by or
  not_,      ///< not part
  exists     ///< part exists
};

struct Expr {
  ExprKind kind = ExprKind::bad;
  Place at;
  std::string text;
  std::vector<Expr> parts;
  std::vector<char> operators;  ///< between parts of sum and product: one less than parts
};

struct Bound {
  std::string text;  ///< digits or a name
  bool is_negative = false;
  Place at;
};

}  // namespace blockyard::sial::ast

namespace blockyard::sial {

/// An expression as the source has it, in the new notation.
[[nodiscard]] std::string print_expression(const ast::Expr& expression);

}  // namespace blockyard::sial
