// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "blockyard/program/program.h"
#include "blockyard/sial/findings.h"

/// Expressions as the checker makes them: every name is an entry of a table, every expression has a
/// type, block expressions are sums of products.
namespace blockyard::sial::checked {

/// `scalar`: a real one.
enum class Type : std::uint8_t { bad, int_, scalar, complex, truth };

enum class ExprKind : std::uint8_t {
  bad,
  integer,      ///< number
  literal,      ///< real
  int_name,     ///< id
  scalar,       ///< id
  index,        ///< id; of type int_
  block,        ///< one block: its only element
  contraction,  ///< one term: the product of its blocks, all names summed; without its factor
  sum,          ///< parts, operators + -
  product,      ///< parts, operators * /
  power,        ///< parts, from the left
  negate,
  to_scalar,
  to_int,
  square_root,
  absolute,
  make_complex,  ///< of a real part, and an imaginary one or none
  real_part,
  imaginary_part,
  conjugate,
  relation,
  all,
  any,
  not_,
  exists  ///< one block
};

struct Expr;

/// `a[i,j]` with everything looked up. `ranges` holds low and high for each position of a region
/// that is not a plain index (-1 in the selector).
struct Block {
  program::Selector selector;
  std::vector<Expr> ranges;
  Place at;
};

struct Term;

/// A factor of a term: a block, or a bracket that needs a hidden temp: a sum, or a product that
/// sums an index which other factors have too.
struct Operand {
  Block block;
  std::vector<Term> sum;                    ///< not empty: the bracket
  program::Part part = program::Part::all;  ///< of the bracket; of a block its selector says it
  std::vector<std::int32_t> indexes;        ///< the names that decide
  std::vector<std::int32_t> needed;         ///< of a bracket: the names needed outside of it
  bool is_resolved = false;                 ///< `indexes` of a bracket are known
  Place at;
};

/// [-] [factor *] operand * operand ...
struct Term {
  bool is_negative = false;
  std::vector<Expr> factor;  ///< none or one, of type scalar or complex
  std::vector<Operand> operands;
  Place at;
};

struct Expr {
  ExprKind kind = ExprKind::bad;
  Type type = Type::bad;
  Place at;
  std::int64_t number = 0;
  double real = 0;
  std::int32_t id = -1;
  program::Relation relation = program::Relation::less;
  std::vector<Expr> parts;
  std::vector<char> operators;
  std::vector<Block> blocks;
  std::vector<Term> terms;
};

}  // namespace blockyard::sial::checked
