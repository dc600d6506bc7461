// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/detail/types.h"

#include <algorithm>
#include <utility>

namespace blockyard::sial::detail {

using checked::Type;
using program::ElementType;
using program::Part;

namespace {

/// The type that every other contains.
constexpr ElementType narrowest = ElementType::f32;

ElementType part_of(ElementType type, Part part) {
  return part == Part::real || part == Part::imaginary ? array::real_of(type) : type;
}

}  // namespace

ElementType type_of(const Arrays& arrays, const program::Selector& selector) {
  return part_of(arrays[static_cast<std::size_t>(selector.array)].type, selector.part);
}

ElementType type_of(const Arrays& arrays, const checked::Operand& operand) {
  if (operand.sum.empty()) return type_of(arrays, operand.block.selector);
  return part_of(type_of(arrays, operand.sum), operand.part);
}

ElementType type_of(const Arrays& arrays, const checked::Term& term) {
  ElementType type = narrowest;
  for (const auto& operand : term.operands) type = array::wider(type, type_of(arrays, operand));
  const bool is_scaled = !term.factor.empty() && term.factor.front().type == Type::complex;
  return array::element_type(is_scaled || array::is_complex(type), array::is_single(type));
}

ElementType type_of(const Arrays& arrays, const std::vector<checked::Term>& sum) {
  ElementType type = narrowest;
  for (const auto& term : sum) type = array::wider(type, type_of(arrays, term));
  return type;
}

void make_complex(checked::Expr& value) {
  if (value.type != Type::scalar) return;
  checked::Expr made;
  made.kind = checked::ExprKind::make_complex;
  made.type = Type::complex;
  made.at = value.at;
  made.parts.push_back(std::move(value));
  value = std::move(made);
}

void unify(checked::Expr& value) {
  if (std::ranges::find(value.parts, Type::complex, &checked::Expr::type) == value.parts.end())
    return;
  std::ranges::for_each(value.parts, make_complex);
  value.type = Type::complex;
}

}  // namespace blockyard::sial::detail
