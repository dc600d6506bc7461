// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/detail/emitter.h"

namespace blockyard::sial::detail {

using checked::ExprKind;
using checked::Type;

namespace {

/// The operand of kind `number` of an opcode on values like this one.
std::int32_t number_of(const checked::Expr& value) { return value.type == Type::complex ? 1 : 0; }

}  // namespace

/// Sums in brackets are computed first: their instructions need an empty stack of values.
void Emitter::value(const Expr& expr) {
  multiply_brackets(expr);
  push(expr);
}

void Emitter::multiply_brackets(const Expr& expr) {
  for (const Expr& part : expr.parts) multiply_brackets(part);
  if (expr.kind != ExprKind::contraction) return;
  const Term& term = expr.terms.front();
  products_[&term] = tables_.product(operands_of(term));
}

void Emitter::push(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::bad:
      break;
    case ExprKind::integer:
      emit(O::push_int, static_cast<std::int32_t>(expr.number));
      break;
    case ExprKind::literal:
      emit(O::push_literal, tables_.literal(expr.real));
      break;
    case ExprKind::int_name:
      emit(O::push_int_name, tables_.int_name(expr.id));
      break;
    case ExprKind::scalar:
      emit(O::push_scalar, tables_.scalar(expr.id));
      break;
    case ExprKind::index:
      emit(O::push_index, tables_.index(expr.id));
      break;
    case ExprKind::block:
      emit(O::push_block, tables_.selector(expr.blocks[0].selector));
      break;
    case ExprKind::exists:
      emit(O::exists, tables_.selector(expr.blocks[0].selector));
      break;
    case ExprKind::contraction:
      emit(O::push_product, products_.at(&expr.terms.front()));
      break;
    case ExprKind::sum:
    case ExprKind::product:
    case ExprKind::power:
      chain(expr);
      break;
    case ExprKind::all:
      truth_chain(expr, O::and_);
      break;
    case ExprKind::any:
      truth_chain(expr, O::or_);
      break;
    case ExprKind::relation:
      push(expr.parts[0]);
      push(expr.parts[1]);
      emit(expr.parts[0].type == Type::int_ ? O::compare_int : O::compare,
           static_cast<std::int32_t>(expr.relation));
      break;
    case ExprKind::negate:
      if (expr.parts[0].kind == ExprKind::literal) {
        emit(O::push_literal, tables_.literal(-expr.parts[0].real));
        break;
      }
      push(expr.parts[0]);
      if (expr.type == Type::int_)
        emit(O::int_negate);
      else
        emit(O::negate, number_of(expr));
      break;
    case ExprKind::square_root:
    case ExprKind::absolute:
      push(expr.parts[0]);
      emit(expr.kind == ExprKind::absolute ? O::absolute : O::square_root,
           number_of(expr.parts[0]));
      break;
    case ExprKind::make_complex:
      push(expr.parts[0]);
      if (expr.parts.size() > 1)
        push(expr.parts[1]);
      else
        emit(O::push_literal, tables_.literal(0.0));
      emit(O::make_complex);
      break;
    case ExprKind::to_scalar:
    case ExprKind::to_int:
    case ExprKind::real_part:
    case ExprKind::imaginary_part:
    case ExprKind::conjugate:
    case ExprKind::not_:
      push(expr.parts[0]);
      emit(expr.kind == ExprKind::to_scalar        ? O::to_scalar
           : expr.kind == ExprKind::to_int         ? O::to_int
           : expr.kind == ExprKind::real_part      ? O::real_part
           : expr.kind == ExprKind::imaginary_part ? O::imaginary_part
           : expr.kind == ExprKind::conjugate      ? O::conjugate
                                                   : O::not_);
      break;
  }
}

void Emitter::chain(const Expr& expr) {
  const bool is_int = expr.type == Type::int_;
  const std::int32_t number = is_int ? 0 : number_of(expr);
  push(expr.parts[0]);
  for (std::size_t k = 1; k < expr.parts.size(); ++k) {
    push(expr.parts[k]);
    switch (expr.kind == ExprKind::power ? 'p' : expr.operators[k - 1]) {
      case '+':
        emit(is_int ? O::int_add : O::add, number);
        break;
      case '-':
        emit(is_int ? O::int_subtract : O::subtract, number);
        break;
      case '*':
        emit(is_int ? O::int_multiply : O::multiply, number);
        break;
      case '/':
        emit(is_int ? O::int_divide : O::divide, number);
        break;
      default:
        emit(O::power, number);
        break;
    }
  }
}

void Emitter::truth_chain(const Expr& expr, O join) {
  push(expr.parts[0]);
  for (std::size_t k = 1; k < expr.parts.size(); ++k) {
    push(expr.parts[k]);
    emit(join);
  }
}

/// The selector of a block, whose ranges are set for the next instruction if it is a region.
std::int32_t Emitter::bound(const Block& block) {
  if (block.selector.form != program::SelectorForm::region) return tables_.selector(block.selector);
  const std::int32_t selector = tables_.selector(block.selector, regions_++);
  for (const auto& end : block.ranges) value(end);
  emit(O::bind_region, selector);
  return selector;
}

}  // namespace blockyard::sial::detail
