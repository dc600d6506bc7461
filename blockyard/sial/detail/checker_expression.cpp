// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "blockyard/sial/detail/checker.h"
#include "blockyard/sial/detail/types.h"

namespace blockyard::sial::detail {
namespace {

using ast::ExprKind;
using checked::Type;
using Kind = checked::ExprKind;

std::string_view name_of(Type type) {
  switch (type) {
    case Type::int_:
      return "an int";
    case Type::scalar:
      return "a scalar";
    case Type::complex:
      return "complex";
    case Type::truth:
      return "a condition";
    case Type::bad:
      break;
  }
  return "nothing";
}

checked::Expr make(Kind kind, Type type, Place at) {
  checked::Expr result;
  result.kind = kind;
  result.type = type;
  result.at = at;
  return result;
}

checked::Expr bad(Place at) { return make(Kind::bad, Type::bad, at); }

checked::Expr wrap(Kind kind, Type type, Place at, checked::Expr part) {
  checked::Expr result = make(kind, type, at);
  result.parts.push_back(std::move(part));
  return result;
}

std::string cast_hint(Type found, Type wanted) {
  if (found == Type::int_ && wanted == Type::scalar)
    return "ints and scalars do not mix: write (scalar)n, and 2.0 for 2";
  if (found == Type::scalar && wanted == Type::int_)
    return "ints and scalars do not mix: write (int)x";
  if (found == Type::complex && wanted == Type::scalar) return "take real(z), imag(z) or abs(z)";
  return {};
}

bool is_number(Type type) { return type == Type::scalar || type == Type::complex; }

program::Relation relation_of(std::string_view text) {
  if (text == "<") return program::Relation::less;
  if (text == ">") return program::Relation::greater;
  if (text == "<=") return program::Relation::less_equal;
  if (text == ">=") return program::Relation::greater_equal;
  if (text == "==") return program::Relation::equal;
  return program::Relation::not_equal;
}

/// Most values that evaluating `value` has on the stack at one time.
int stack_of(const checked::Expr& value) {
  int most = value.kind == Kind::make_complex ? 2 : 1;
  for (std::size_t k = 0; k < value.parts.size(); ++k)
    most = std::max(most, stack_of(value.parts[k]) + (k > 0 ? 1 : 0));
  return most;
}

}  // namespace

checked::Expr Checker::check_typed(const ast::Expr& source, Type type, std::string_view what) {
  Expr value = check_value(source);
  if (type == Type::complex) make_complex(value);
  if (value.type == Type::bad || value.type == type) return value;
  error("type", source.at,
        fmt::format("{} is {}, but must be {}", what, name_of(value.type), name_of(type)),
        cast_hint(value.type, type));
  return bad(source.at);
}

/// Real or complex.
checked::Expr Checker::check_scalar(const ast::Expr& source, std::string_view what) {
  Expr value = check_value(source);
  if (value.type == Type::bad || is_number(value.type)) return value;
  error("type", source.at, fmt::format("{} is {}, but must be a scalar", what, name_of(value.type)),
        cast_hint(value.type, Type::scalar));
  return bad(source.at);
}

checked::Expr Checker::check_condition(const ast::Expr& source) {
  Expr value = check_value(source);
  if (value.type != Type::bad && value.type != Type::truth) {
    error("type", source.at, fmt::format("the condition is {}", name_of(value.type)),
          "a condition compares two values, as in x > 1.0");
    return bad(source.at);
  }
  return limit_stack(value) ? value : bad(source.at);
}

bool Checker::limit_stack(const Expr& value) {
  if (stack_of(value) <= most_stack) return true;
  error("too-deep", value.at, "this expression is nested too deeply",
        "compute a part of it before");
  return false;
}

checked::Expr Checker::check_value(const ast::Expr& source) {
  switch (source.kind) {
    case ExprKind::bad:
      return bad(source.at);
    case ExprKind::integer:
    case ExprKind::real:
      return check_number(source);
    case ExprKind::text:
      error("type", source.at, "a text where a number must stand", "texts are for print");
      return bad(source.at);
    case ExprKind::name:
      return check_name(source);
    case ExprKind::wildcard:
    case ExprKind::range:
      return bad(source.at);
    case ExprKind::block:
    case ExprKind::product:
      if (has_block(source, {})) return check_contraction(source);
      return check_chain(source);
    case ExprKind::sum:
      return check_chain(source);
    case ExprKind::power:
      return check_power(source);
    case ExprKind::negate:
      return check_negate(source);
    case ExprKind::cast:
      return check_cast(source);
    case ExprKind::function:
      return check_function(source);
    case ExprKind::relation:
      return check_relation(source);
    case ExprKind::all:
    case ExprKind::any:
    case ExprKind::not_: {
      const Kind kind = source.kind == ExprKind::all   ? Kind::all
                        : source.kind == ExprKind::any ? Kind::any
                                                       : Kind::not_;
      Expr result = make(kind, Type::truth, source.at);
      for (const auto& part : source.parts) {
        result.parts.push_back(check_condition(part));
        if (result.parts.back().type == Type::bad) result.type = Type::bad;
      }
      return result;
    }
    case ExprKind::exists:
      return check_exists(source);
  }
  return bad(source.at);
}

checked::Expr Checker::check_number(const ast::Expr& source) {
  const char* const end = source.text.data() + source.text.size();
  if (source.kind == ExprKind::integer) {
    Expr result = make(Kind::integer, Type::int_, source.at);
    std::int32_t value = 0;
    if (std::from_chars(source.text.data(), end, value).ec != std::errc{})
      error("number-too-large", source.at, fmt::format("'{}' is too large", source.text),
            "ints in a program go up to 2147483647");
    result.number = value;
    return result;
  }
  Expr result = make(Kind::literal, Type::scalar, source.at);
  const auto [rest, status] = std::from_chars(source.text.data(), end, result.real);
  // from_chars leaves the value alone where it would be 0 or infinite.
  if (status == std::errc::result_out_of_range)
    error("number-too-large", source.at, fmt::format("'{}' is too large or too small", source.text),
          "scalars reach from 1e-308 to 1e308");
  return result;
}

checked::Expr Checker::check_name(const ast::Expr& source) {
  Symbol* symbol = names_.find(unit_, {source.text, source.at}, "name");
  if (symbol == nullptr) return bad(source.at);
  Expr result = bad(source.at);
  result.id = symbol->id;
  switch (symbol->kind) {
    case SymbolKind::int_:
      result.kind = Kind::int_name;
      result.type = Type::int_;
      break;
    case SymbolKind::index:
      result.kind = Kind::index;
      result.type = Type::int_;
      break;
    case SymbolKind::scalar:
      result.kind = Kind::scalar;
      result.type = result_.scalars[static_cast<std::size_t>(symbol->id)].is_complex ? Type::complex
                                                                                     : Type::scalar;
      break;
    case SymbolKind::array:
      error("array-without-indexes", source.at, fmt::format("'{}' is a whole array", source.text),
            fmt::format("select a block: {}[{}]", source.text,
                        list_of(result_.arrays[static_cast<std::size_t>(symbol->id)].indexes)));
      break;
    default:
      error("wrong-kind-of-name", source.at,
            fmt::format("'{}' is {} and has no value", source.text,
                        with_article(detail::name_of(symbol->kind))),
            {});
  }
  return result;
}

/// A block as a number, a sum, or a product without real blocks.
checked::Expr Checker::check_chain(const ast::Expr& source) {
  if (source.kind == ExprKind::block) {
    Expr result = make(Kind::block, Type::scalar, source.at);
    result.blocks.push_back(check_block(source));
    if (result.blocks.front().selector.array < 0) return bad(source.at);
    result.type = value_type_of(result.blocks.front());
    return result;
  }
  const bool is_sum = source.kind == ExprKind::sum;
  Expr result = make(is_sum ? Kind::sum : Kind::product, Type::bad, source.at);
  result.operators = source.operators;
  bool is_good = true;
  for (std::size_t k = 0; k < source.parts.size(); ++k) {
    Expr part = check_value(source.parts[k]);
    if (k > 0 && source.operators[k - 1] == '^') {
      error("outer-product", source.at, "'^' between numbers",
            "'^' is the outer product of blocks; the power is x**y");
      is_good = false;
    }
    if (part.type == Type::bad) {
      is_good = false;
    } else if (part.type == Type::truth) {
      error("type", part.at, "a condition where a number must stand", {});
      is_good = false;
    } else if (result.type == Type::bad) {
      result.type = part.type;
    } else if (result.type != part.type && !(is_number(result.type) && is_number(part.type))) {
      error("mixed-types", part.at,
            fmt::format("this is {}, but what stands before it is {}", name_of(part.type),
                        name_of(result.type)),
            cast_hint(Type::int_, Type::scalar));
      is_good = false;
    }
    result.parts.push_back(std::move(part));
  }
  unify(result);
  return is_good ? result : bad(source.at);
}

checked::Expr Checker::check_power(const ast::Expr& source) {
  Expr result = make(Kind::power, Type::scalar, source.at);
  bool is_good = true;
  for (const auto& part : source.parts) {
    result.parts.push_back(check_scalar(part, "an operand of **"));
    is_good = is_good && result.parts.back().type != Type::bad;
  }
  unify(result);
  return is_good ? result : bad(source.at);
}

checked::Expr Checker::check_negate(const ast::Expr& source) {
  Expr part = check_value(source.parts.front());
  if (part.type == Type::bad) return part;
  if (part.type == Type::truth) {
    error("type", source.at, "'-' before a condition", "the opposite of a condition is 'not'");
    return bad(source.at);
  }
  const Type type = part.type;
  return wrap(Kind::negate, type, source.at, std::move(part));
}

checked::Expr Checker::check_cast(const ast::Expr& source) {
  if (source.text == "index") {
    error("bad-cast", source.at, "(index) outside of the brackets of a block",
          "an index in an expression is an int already");
    return bad(source.at);
  }
  const bool is_to_int = source.text == "int";
  Expr part = check_value(source.parts.front());
  if (part.type == Type::bad) return part;
  if (part.type != (is_to_int ? Type::scalar : Type::int_)) {
    error("bad-cast", source.at, fmt::format("({}) of {}", source.text, name_of(part.type)),
          part.type == Type::complex ? "take real(z), imag(z) or abs(z)"
          : is_to_int                ? "(int) takes a scalar; leave it out"
                                     : "(scalar) takes an int or an index");
    return bad(source.at);
  }
  return wrap(is_to_int ? Kind::to_int : Kind::to_scalar, is_to_int ? Type::int_ : Type::scalar,
              source.at, std::move(part));
}

checked::Expr Checker::check_function(const ast::Expr& source) {
  if (source.text == "complex") {
    Expr result = make(Kind::make_complex, Type::complex, source.at);
    for (const auto& part : source.parts) {
      result.parts.push_back(check_typed(part, Type::scalar, "a part of a complex number"));
      if (result.parts.back().type == Type::bad) return bad(source.at);
    }
    return result;
  }
  Expr part = check_scalar(source.parts.front(), fmt::format("the argument of {}", source.text));
  if (part.type == Type::bad) return part;
  if (source.text != "sqrt" && source.text != "abs") return check_part(source, std::move(part));
  const bool is_root = source.text == "sqrt";
  const Type type = is_root ? part.type : Type::scalar;
  return wrap(is_root ? Kind::square_root : Kind::absolute, type, source.at, std::move(part));
}

/// conj, real or imag of a value.
checked::Expr Checker::check_part(const ast::Expr& source, Expr value) {
  if (value.type == Type::complex && source.text == "conj")
    return wrap(Kind::conjugate, Type::complex, source.at, std::move(value));
  if (value.type == Type::complex)
    return wrap(source.text == "real" ? Kind::real_part : Kind::imaginary_part, Type::scalar,
                source.at, std::move(value));
  if (source.text != "imag") return value;
  error("imag-of-real", source.at, "imag of a real value",
        "it is 0; was something here to be declared 'complex'?");
  return bad(source.at);
}

checked::Expr Checker::check_relation(const ast::Expr& source) {
  Expr left = check_value(source.parts[0]);
  Expr right = check_value(source.parts[1]);
  if (left.type == Type::bad || right.type == Type::bad) return bad(source.at);
  if (left.type == Type::complex || right.type == Type::complex) {
    error("complex-relation", source.at, "complex numbers cannot be compared",
          "compare real(z), imag(z) or abs(z), as in abs(z - w) < 1e-10");
    return bad(source.at);
  }
  if (left.type != right.type || left.type == Type::truth) {
    error("mixed-types", source.at,
          fmt::format("the relation compares {} with {}", name_of(left.type), name_of(right.type)),
          cast_hint(Type::int_, Type::scalar));
    return bad(source.at);
  }
  Expr result = make(Kind::relation, Type::truth, source.at);
  result.relation = relation_of(source.text);
  result.parts.push_back(std::move(left));
  result.parts.push_back(std::move(right));
  return result;
}

checked::Expr Checker::check_exists(const ast::Expr& source) {
  const ast::Expr& part = source.parts.front();
  if (part.kind != ExprKind::block) {
    error("exists", part.at, "'exists' asks about a block", "write a[i,j] exists");
    return bad(source.at);
  }
  Expr result = make(Kind::exists, Type::truth, source.at);
  result.blocks.push_back(check_block(part));
  if (result.blocks.front().selector.array < 0) return bad(source.at);
  if (!array_of(result.blocks.front()).is_sparse) {
    error("exists", part.at,
          fmt::format("'{}' is not sparse", array_of(result.blocks.front()).name),
          "'exists' is for arrays declared 'sparse distributed' or 'sparse served'");
    return bad(source.at);
  }
  if (!check_whole_block(result.blocks.front(), "exists", "ask for the block that it is a part of"))
    return bad(source.at);
  return result;
}

/// The sum over all elements of a product of blocks, as a number.
checked::Expr Checker::check_contraction(const ast::Expr& source) {
  const std::size_t before = findings_.error_count();
  const Target target{{}, nullptr, true};
  Terms terms = check_terms(source, target);
  if (findings_.error_count() == before) resolve(terms, target);
  if (findings_.error_count() != before || terms.empty()) return bad(source.at);
  Expr sum = make(Kind::sum, Type::scalar, source.at);
  for (auto& term : terms) {
    for (const auto& operand : term.operands)
      if (!operand.sum.empty() && !without_brackets_.empty())
        error(without_brackets_, operand.at,
              fmt::format("a sum of blocks in {}", without_brackets_ == "where"
                                                       ? "the where of a pardo"
                                                       : "the end of a range"),
              "compute it before");
    Expr value = make(Kind::contraction, Type::scalar, term.at);
    std::vector<Expr> factor = std::move(term.factor);
    term.factor.clear();
    if (array::is_complex(type_of(result_.arrays, term))) value.type = Type::complex;
    const bool is_negative = term.is_negative;
    term.is_negative = false;
    if (term.operands.empty()) {
      if (factor.empty()) return bad(source.at);  // what is wrong here was said at another place
      value = std::move(factor.front());
    } else {
      value.terms.push_back(std::move(term));
      if (!factor.empty()) {
        Expr scaled = make(Kind::product, Type::scalar, value.at);
        scaled.operators.push_back('*');
        scaled.parts.push_back(std::move(factor.front()));
        scaled.parts.push_back(std::move(value));
        unify(scaled);
        value = std::move(scaled);
      }
    }
    const Place at = value.at;
    const Type type = value.type;
    if (is_negative && sum.parts.empty()) value = wrap(Kind::negate, type, at, std::move(value));
    if (!sum.parts.empty()) sum.operators.push_back(is_negative ? '-' : '+');
    sum.parts.push_back(std::move(value));
  }
  if (sum.parts.size() == 1) return std::move(sum.parts.front());
  unify(sum);
  return sum;
}

}  // namespace blockyard::sial::detail
