// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "blockyard/sial/detail/emitter.h"
#include "blockyard/sial/detail/types.h"

namespace blockyard::sial::detail {
namespace {

using checked::Expr;
using checked::Operand;
using checked::Term;
using program::Mode;
using program::SelectorForm;

bool reads(const Term& term, std::int32_t array);

bool reads(const Expr& value, std::int32_t array) {
  const auto is_it = [&](const checked::Block& block) { return block.selector.array == array; };
  return std::any_of(value.blocks.begin(), value.blocks.end(), is_it) ||
         std::any_of(value.parts.begin(), value.parts.end(),
                     [&](const Expr& part) { return reads(part, array); }) ||
         std::any_of(value.terms.begin(), value.terms.end(),
                     [&](const Term& term) { return reads(term, array); });
}

bool reads(const Operand& operand, std::int32_t array) {
  if (operand.sum.empty()) return operand.block.selector.array == array;
  return std::any_of(operand.sum.begin(), operand.sum.end(),
                     [&](const Term& term) { return reads(term, array); });
}

bool reads(const Term& term, std::int32_t array) {
  return std::any_of(term.factor.begin(), term.factor.end(),
                     [&](const Expr& factor) { return reads(factor, array); }) ||
         std::any_of(term.operands.begin(), term.operands.end(),
                     [&](const Operand& operand) { return reads(operand, array); });
}

}  // namespace

/// target = or += or -= the sum of the terms, one instruction for each. An operand that is also
/// the target of its own instruction is the interpreter's business; where a later term reads the
/// target, or the target of a product has a cast position, which no factor knows, all go to a
/// hidden temp first.
void Emitter::terms_into(const Block& target, Mode mode, const std::vector<Term>& terms) {
  const std::int32_t array = target.selector.array;
  const bool has_cast = target.selector.form == SelectorForm::block &&
                        names_of(target).size() != target.selector.indexes.size();
  const bool needs_temp =
      std::any_of(terms.begin() + 1, terms.end(),
                  [&](const Term& term) { return reads(term, array); }) ||
      (has_cast && std::any_of(terms.begin(), terms.end(),
                               [](const Term& term) { return term.operands.size() > 1; }));
  const bool is_subtracted = mode == Mode::subtract;
  if (!needs_temp) {
    const std::int32_t selector = tables_.selector(target.selector);
    bool is_added = mode != Mode::set;
    for (const auto& term : terms) {
      term_into(selector, &target, term, is_added, term.is_negative != is_subtracted);
      is_added = true;
    }
    return;
  }
  const std::int32_t temp =
      tables_.hidden(names_of(target), type_of(unit_.arrays, target.selector), target.at);
  bool is_added = false;
  for (const auto& term : terms) {
    term_into(temp, nullptr, term, is_added, term.is_negative);
    is_added = true;
  }
  const std::int32_t selector = bound(target);
  emit(O::block_copy, selector, temp,
       (mode == Mode::set ? 0 : program::flag_accumulate) |
           (is_subtracted ? program::flag_negate : 0));
}

/// One instruction: target = [target +] [-] [factor *] product of the operands.
void Emitter::term_into(std::int32_t target, const Block* bind, const Term& term, bool is_added,
                        bool is_negative) {
  const bool is_copy = term.operands.size() == 1 && term.operands.front().sum.empty();
  std::vector<std::int32_t> operands;
  if (!is_copy) operands = operands_of(term);
  if (!term.factor.empty()) factor(term.factor.front(), target);
  const std::int32_t flags = (is_added ? program::flag_accumulate : 0) |
                             (is_negative ? program::flag_negate : 0) |
                             (term.factor.empty() ? 0 : program::flag_scaled);
  if (bind != nullptr) target = bound(*bind);
  if (is_copy)
    emit(O::block_copy, target, bound(term.operands.front().block), flags);
  else if (operands.size() == 1)
    emit(O::block_copy, target, operands.front(), flags);
  else
    emit(O::block_product, target, tables_.product(std::move(operands)), flags);
}

std::vector<std::int32_t> Emitter::operands_of(const Term& term) {
  std::vector<std::int32_t> result;
  for (const auto& operand : term.operands)
    result.push_back(operand.sum.empty() ? tables_.selector(operand.block.selector)
                                         : bracket(operand));
  return result;
}

/// The factor of a block is complex if the block is.
void Emitter::factor(const Expr& factor, std::int32_t target) {
  value(factor);
  const auto& selected = program_.selectors[static_cast<std::size_t>(target)];
  if (factor.type == checked::Type::complex ||
      !array::is_complex(program::type_of(program_, selected)))
    return;
  emit(O::push_literal, tables_.literal(0.0));
  emit(O::make_complex);
}

std::int32_t Emitter::bracket(const Operand& operand) {
  const std::int32_t temp =
      tables_.hidden(operand.indexes, type_of(unit_.arrays, operand.sum), operand.at);
  bool is_added = false;
  for (const auto& term : operand.sum) {
    term_into(temp, nullptr, term, is_added, term.is_negative);
    is_added = true;
  }
  if (operand.part != program::Part::all) return tables_.part_of(temp, operand.part);
  return temp;
}

/// The indexes of a hidden temp for the block: a cast position has extent 1 and is left out.
std::vector<std::int32_t> Emitter::names_of(const Block& block) const {
  std::vector<std::int32_t> result;
  const auto& declared = unit_.arrays[static_cast<std::size_t>(block.selector.array)].indexes;
  const auto is_simple = [this](std::int32_t index) {
    return unit_.indexes[static_cast<std::size_t>(index)].kind == array::IndexKind::simple;
  };
  for (std::size_t k = 0; k < block.selector.indexes.size(); ++k) {
    const std::int32_t index = block.selector.indexes[k];
    if (!is_simple(declared[k]) || is_simple(index)) result.push_back(index);
  }
  return result;
}

/// Whether the right side is a block that can travel as it lies: the target's names in the same
/// order, extra ones simple and last.
bool Emitter::is_put_directly(const Block& target, const std::vector<Term>& terms) const {
  if (terms.size() != 1 || terms.front().is_negative || !terms.front().factor.empty() ||
      terms.front().operands.size() != 1 || !terms.front().operands.front().sum.empty())
    return false;
  const Block& source = terms.front().operands.front().block;
  if (source.selector.form != SelectorForm::block) return false;
  if (source.selector.part != program::Part::all ||
      type_of(unit_.arrays, source.selector) != type_of(unit_.arrays, target.selector))
    return false;
  const auto& declared = unit_.arrays[static_cast<std::size_t>(source.selector.array)].indexes;
  for (std::size_t k = 0; k < declared.size(); ++k) {
    const auto parent = [this](std::int32_t index) {
      return unit_.indexes[static_cast<std::size_t>(index)].parent;
    };
    if (parent(source.selector.indexes[k]) >= 0 && parent(declared[k]) < 0) return false;
  }
  const auto left = names_of(target);
  const auto right = names_of(source);
  if (left.size() != target.selector.indexes.size() ||
      right.size() != source.selector.indexes.size())
    return false;
  const std::size_t common = std::min(left.size(), right.size());
  return std::equal(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(common),
                    right.begin());
}

}  // namespace blockyard::sial::detail
