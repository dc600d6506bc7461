// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "blockyard/sial/detail/checker.h"
#include "blockyard/sial/detail/types.h"

namespace blockyard::sial::detail {
namespace {

using ast::ExprKind;
using checked::Operand;
using checked::Term;

program::Part part_of(std::string_view function) {
  if (function == "conj") return program::Part::conjugate;
  return function == "real" ? program::Part::real : program::Part::imaginary;
}

checked::Expr one(Place at) {
  checked::Expr result;
  result.kind = checked::ExprKind::literal;
  result.type = checked::Type::scalar;
  result.at = at;
  result.real = 1;
  return result;
}

/// factor = factor op by
void scale(Term& term, char op, checked::Expr by) {
  if (term.factor.empty() && op == '*') {
    term.factor.push_back(std::move(by));
    return;
  }
  checked::Expr chain;
  chain.kind = checked::ExprKind::product;
  chain.type = checked::Type::scalar;
  chain.at = by.at;
  chain.parts.push_back(term.factor.empty() ? one(by.at) : std::move(term.factor.front()));
  chain.operators.push_back(op);
  chain.parts.push_back(std::move(by));
  // A long chain of factors stays flat.
  checked::Expr& first = chain.parts.front();
  if (first.kind == checked::ExprKind::product) {
    first.operators.push_back(op);
    first.parts.push_back(std::move(chain.parts.back()));
    chain = checked::Expr(std::move(first));
  }
  unify(chain);
  term.factor.clear();
  term.factor.push_back(std::move(chain));
}

/// Whether blocks are multiplied for the value: it is computed once.
bool sums(const checked::Expr& value) {
  return value.kind == checked::ExprKind::contraction || std::ranges::any_of(value.parts, sums);
}

}  // namespace

/// The value as a sum of products.
Checker::Terms Checker::check_terms(const ast::Expr& source, const Target& target) {
  Terms terms;
  add_terms(source, false, target, terms);
  return terms;
}

void Checker::add_terms(const ast::Expr& source, bool is_negative, const Target& target,
                        Terms& terms) {
  if (is_transparent(source) && source.text != "imag" && has_block(source, target.names) &&
      !is_complex(source.parts.front()))
    return add_terms(source.parts.front(), is_negative, target, terms);
  if (source.kind == ExprKind::negate)
    return add_terms(source.parts.front(), !is_negative, target, terms);
  if (source.kind == ExprKind::sum) {
    for (std::size_t k = 0; k < source.parts.size(); ++k)
      add_terms(source.parts[k], is_negative != (k > 0 && source.operators[k - 1] == '-'), target,
                terms);
    return;
  }
  add_product(source, is_negative, target, terms);
}

/// The names of the result that no block of the product has unless a scalar-valued one gives it.
Checker::Indexes Checker::partners_of(const ast::Expr& product, const Target& target) const {
  Indexes names;
  collect_factor_names(product, names);
  Indexes result = target.names;
  std::erase_if(result, [&](std::int32_t index) { return std::ranges::count(names, index) > 0; });
  return result;
}

void Checker::add_product(const ast::Expr& source, bool is_negative, const Target& target,
                          Terms& terms) {
  Term term;
  term.at = source.at;
  term.is_negative = is_negative;
  add_factors(source, '*', target, partners_of(source, target), term);
  const bool is_bracket =
      term.operands.size() == 1 && !term.operands.front().sum.empty() &&
      term.operands.front().part == program::Part::all &&
      (term.operands.front().sum.size() == 1 || term.factor.empty() || !sums(term.factor.front()));
  if (!is_bracket) {
    terms.push_back(std::move(term));
    return;
  }
  // s*(A + B) = s*A + s*B needs no temporary.
  for (auto& inner : term.operands.front().sum) {
    inner.is_negative = inner.is_negative != term.is_negative;
    if (!term.factor.empty()) scale(inner, '*', term.factor.front());
    terms.push_back(std::move(inner));
  }
}

/// Puts the factors of a product, and of products in brackets inside of it, into one term. The
/// names of the target are those that are needed of this value.
void Checker::add_factors(const ast::Expr& source, char op, const Target& target,
                          const Indexes& partners, Term& term) {
  // A scalar-valued block may be a factor like others, but it divides as a number.
  if (!has_block(source, op == '/' ? Indexes{} : partners))
    return add_number(source, op, target, term);
  const bool is_part = is_transparent(source) && is_complex(source.parts.front());
  if (is_part && is_closed(source, target.names)) return add_number(source, op, target, term);
  if (op == '/') {
    error("division-by-block", source.at, "division by a block",
          "only numbers can divide; invert the elements with a super instruction");
    return;
  }
  if (is_part) return add_part(source, target, term);
  if (is_transparent(source)) {
    if (source.text != "imag") return add_factors(source.parts.front(), op, target, partners, term);
    return error("imag-of-real", source.at, "imag of a real value",
                 "it is 0; was something here to be declared 'complex'?");
  }
  if (source.kind == ExprKind::negate) {
    term.is_negative = !term.is_negative;
    return add_factors(source.parts.front(), op, target, partners, term);
  }
  if (source.kind != ExprKind::product) return add_operand(source, target, term);
  if (!check_outer(source, target.names, partners)) return;
  const auto brackets = brackets_of(source, target.names);
  for (std::size_t k = 0; k < source.parts.size(); ++k) {
    const ast::Expr& part = source.parts[k];
    const char joined = k > 0 ? source.operators[k - 1] : op == '/' ? '/' : '*';
    const Target inner{brackets[k].needed, nullptr, target.is_scalar};
    if (is_closed(part, inner.names))
      add_number(part, joined, target, term);
    else if (brackets[k].is_apart && joined != '/')
      add_bracket(part, program::Part::all, inner, term);
    else
      add_factors(part, joined, inner, partners, term);
  }
}

void Checker::add_number(const ast::Expr& source, char op, const Target& target, Term& term) {
  Expr factor = check_scalar(
      source, term.operands.empty() && target.is_scalar ? "the value" : "the factor of a block");
  if (factor.type != checked::Type::bad && limit_stack(factor))
    scale(term, op == '/' ? '/' : '*', std::move(factor));
}

/// Whether a value, of blocks or not, is complex.
bool Checker::is_complex(const ast::Expr& source) const {
  if (source.kind == ExprKind::function)
    return source.text == "complex" ||
           ((source.text == "conj" || source.text == "sqrt") && is_complex(source.parts.front()));
  if (source.kind == ExprKind::name || source.kind == ExprKind::block) {
    const Symbol* symbol = names_.peek(unit_, source.text);
    if (symbol == nullptr) return false;
    const auto id = static_cast<std::size_t>(symbol->id);
    if (symbol->kind == SymbolKind::scalar) return result_.scalars[id].is_complex;
    return symbol->kind == SymbolKind::array && array::is_complex(result_.arrays[id].type);
  }
  return std::ranges::any_of(source.parts, [this](const auto& part) { return is_complex(part); });
}

/// conj, real or imag of a complex factor: of a block as it is read, of all else in a hidden temp.
void Checker::add_part(const ast::Expr& source, const Target& target, Term& term) {
  const ast::Expr& inner = source.parts.front();
  const std::size_t before = term.operands.size();
  if (inner.kind == ExprKind::block) {
    add_operand(inner, target, term);
    if (term.operands.size() > before)
      term.operands.back().block.selector.part = part_of(source.text);
    return;
  }
  add_bracket(inner, part_of(source.text), target, term);
}

/// A factor that a hidden temp holds.
void Checker::add_bracket(const ast::Expr& source, program::Part part, const Target& target,
                          Term& term) {
  Operand operand;
  operand.at = source.at;
  operand.block.selector.array = -1;
  operand.part = part;
  operand.needed = target.names;
  operand.sum = check_terms(source, target);
  if (!operand.sum.empty()) term.operands.push_back(std::move(operand));
}

checked::Type Checker::value_type_of(const Block& block) const {
  const bool is_complex = block.selector.array >= 0 && array::is_complex(array_of(block).type);
  return is_complex ? checked::Type::complex : checked::Type::scalar;
}

/// Complex terms are for complex targets.
bool Checker::check_types(const Block& target, const Terms& terms) {
  if (array::is_complex(array_of(target).type)) return true;
  for (const auto& term : terms)
    if (array::is_complex(type_of(result_.arrays, term))) {
      error(
          "complex-to-real", term.at,
          fmt::format("a complex value is assigned to '{}', which is real", array_of(target).name),
          fmt::format("take real(...) or imag(...) of it, or declare '{}' complex",
                      array_of(target).name));
      return false;
    }
  return true;
}

void Checker::add_operand(const ast::Expr& source, const Target& target, Term& term) {
  if (source.kind == ExprKind::sum) return add_bracket(source, program::Part::all, target, term);
  Operand operand;
  operand.at = source.at;
  operand.block = check_block(source);
  if (operand.block.selector.array < 0) return;
  operand.indexes = names_of(operand.block);
  term.operands.push_back(std::move(operand));
}

}  // namespace blockyard::sial::detail
