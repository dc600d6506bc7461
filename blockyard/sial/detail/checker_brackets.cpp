// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "blockyard/sial/detail/checker.h"

/// What brackets mean in a product, decided by names alone. An index that two factors of a bracket
/// have is summed in it, unless it is needed outside: by the result, or by the other factors, where
/// exactly one has it. Simple indexes have one value: where they are summed changes nothing.
namespace blockyard::sial::detail {
namespace {

using ast::ExprKind;
using Indexes = std::vector<std::int32_t>;

bool contains(const Indexes& list, std::int32_t index) {
  return std::ranges::find(list, index) != list.end();
}

void add_new(Indexes& list, const Indexes& more) {
  for (const auto index : more)
    if (!contains(list, index)) list.push_back(index);
}

/// How many lists have each index.
std::map<std::int32_t, std::size_t> count(const std::vector<Indexes>& lists) {
  std::map<std::int32_t, std::size_t> result;
  for (const auto& list : lists)
    for (const auto index : list) ++result[index];
  return result;
}

}  // namespace

bool is_transparent(const ast::Expr& source) {
  return source.kind == ExprKind::function &&
         (source.text == "conj" || source.text == "real" || source.text == "imag");
}

/// Whether the value is a block, not a number. A scalar-valued block is a number unless one of its
/// names is among `names`, those of the result and of other factors.
bool Checker::has_block(const ast::Expr& source, const Indexes& names) const {
  if (is_transparent(source)) return has_block(source.parts.front(), names);
  switch (source.kind) {
    case ExprKind::sum:
      // Numbers and scalar-valued blocks add up to a number.
      return std::any_of(source.parts.begin(), source.parts.end(),
                         [&](const ast::Expr& part) { return has_block(part, {}); });
    case ExprKind::product:
    case ExprKind::negate:
      return std::any_of(source.parts.begin(), source.parts.end(),
                         [&](const ast::Expr& part) { return has_block(part, names); });
    case ExprKind::block:
      break;
    default:
      return false;
  }
  const Symbol* symbol = names_.peek(unit_, source.text);
  if (symbol == nullptr || symbol->kind != SymbolKind::array) return false;
  const auto& declared = result_.arrays[static_cast<std::size_t>(symbol->id)];
  if (declared.is_contiguous) return true;
  for (const auto index : declared.indexes)
    if (!is_simple(index)) return true;
  for (const auto& part : source.parts) {
    const Symbol* index = names_.peek(unit_, part.text);
    if (part.kind == ExprKind::name && index != nullptr && index->kind == SymbolKind::index &&
        std::find(names.begin(), names.end(), index->id) != names.end())
      return true;
  }
  return false;
}

/// Whether a region of a contiguous array stands in the value: it is no number, whatever it holds.
bool Checker::has_region(const ast::Expr& source) const {
  if (source.kind != ExprKind::block)
    return std::ranges::any_of(source.parts, [this](const auto& part) { return has_region(part); });
  const Symbol* symbol = names_.peek(unit_, source.text);
  return symbol != nullptr && symbol->kind == SymbolKind::array &&
         result_.arrays[static_cast<std::size_t>(symbol->id)].is_contiguous;
}

/// Adds the index names of all real blocks of a product.
void Checker::collect_names(const ast::Expr& source, Indexes& names) const {
  if (source.kind == ExprKind::block && has_block(source, {})) {
    for (const auto& part : source.parts) {
      const Symbol* index = names_.peek(unit_, part.text);
      if (part.kind == ExprKind::name && index != nullptr && index->kind == SymbolKind::index)
        names.push_back(index->id);
    }
  } else if (source.kind == ExprKind::sum || source.kind == ExprKind::product ||
             source.kind == ExprKind::negate || is_transparent(source)) {
    for (const auto& part : source.parts) collect_names(part, names);
  }
}

/// Adds the names of the real blocks that are factors of a product, also within products in
/// brackets; what a sum has depends on its terms.
void Checker::collect_factor_names(const ast::Expr& source, Indexes& names) const {
  if (source.kind == ExprKind::block) return collect_names(source, names);
  if (source.kind == ExprKind::product || source.kind == ExprKind::negate || is_transparent(source))
    for (const auto& part : source.parts) collect_factor_names(part, names);
}

/// The segmented names of all blocks in the value, each once.
Checker::Indexes Checker::names_in(const ast::Expr& source) const {
  Indexes all;
  collect_names(source, all);
  std::erase_if(all, [this](std::int32_t index) { return is_simple(index); });
  Indexes result;
  add_new(result, all);
  return result;
}

/// The names that are left of the value if `needed` are used outside of it.
Checker::Indexes Checker::free_names(const ast::Expr& source, const Indexes& needed) {
  if (source.kind == ExprKind::block) return names_in(source);
  Indexes result;
  if (source.kind == ExprKind::sum || source.kind == ExprKind::negate || is_transparent(source))
    for (const auto& part : source.parts) add_new(result, free_names(part, needed));
  if (source.kind != ExprKind::product) return result;
  std::vector<Indexes> names = needed_of(source, needed);
  for (std::size_t k = 0; k < names.size(); ++k) names[k] = free_names(source.parts[k], names[k]);
  const auto factors = count(names);
  for (const auto& [index, number] : factors)
    if (number == 1 || contains(needed, index)) result.push_back(index);
  return result;
}

/// For each factor of a product, the names that are needed outside of it.
std::vector<Checker::Indexes> Checker::needed_of(const ast::Expr& product, const Indexes& needed) {
  std::vector<Indexes> own;
  for (const auto& part : product.parts) {
    auto known = own_names_.find(&part);
    if (known == own_names_.end()) known = own_names_.emplace(&part, free_names(part, {})).first;
    own.push_back(known->second);
  }
  const auto factors = count(own);
  std::vector<Indexes> result(own.size(), needed);
  for (std::size_t k = 0; k < own.size(); ++k)
    for (const auto& [index, number] : factors)
      if (number == (contains(own[k], index) ? 2 : 1) && !contains(needed, index))
        result[k].push_back(index);
  return result;
}

/// Whether every index of the value is summed within it: it is a number.
bool Checker::is_closed(const ast::Expr& source, const Indexes& needed) {
  return source.kind != ExprKind::block && has_block(source, {}) && !has_region(source) &&
         free_names(source, needed).empty();
}

/// Whether a block, and no number, is a factor of the value without a bracket around the product.
bool Checker::has_bare_factor(const ast::Expr& source) const {
  if (source.kind == ExprKind::sum || source.kind == ExprKind::negate)
    return std::ranges::any_of(source.parts,
                               [this](const auto& part) { return has_bare_factor(part); });
  return source.kind == ExprKind::product &&
         std::ranges::any_of(source.parts, [this](const auto& part) {
           return part.kind == ExprKind::block && has_block(part, {});
         });
}

/// Whether a number is assigned to the block, for all its elements. Scalar-valued blocks alone are
/// one, whatever names the target has; so is a value whose indexes are all summed in brackets. A
/// product without brackets of which the result has no index is more likely a slip.
bool Checker::is_fill(const ast::Expr& value, const Block& target, program::Mode mode) {
  if ((is_scalar_valued(target) && !has_region(value)) || !has_block(value, {})) return true;
  return (mode == program::Mode::multiply || !has_bare_factor(value)) &&
         is_closed(value, names_of(target));
}

/// How the factors of a product are taken. A product in brackets is one with the product around it,
/// unless another factor has an index that it sums.
std::vector<Checker::Bracket> Checker::brackets_of(const ast::Expr& product,
                                                   const Indexes& needed) {
  std::vector<Indexes> needed_outside = needed_of(product, needed);
  std::vector<Indexes> seen;  // by the other factors
  std::vector<Indexes> free;
  for (std::size_t k = 0; k < product.parts.size(); ++k) {
    const ast::Expr* part = &product.parts[k];
    free.push_back(free_names(*part, needed_outside[k]));
    while (part->kind == ExprKind::negate ||
           (is_transparent(*part) && !is_complex(part->parts.front())))
      part = &part->parts.front();
    const bool is_open = part->kind == ExprKind::product && !free.back().empty();
    seen.push_back(is_open ? names_in(*part) : free.back());
  }
  auto factors = count(seen);
  std::vector<Bracket> result;
  for (std::size_t k = 0; k < product.parts.size(); ++k) {
    const bool is_apart = std::ranges::any_of(seen[k], [&](std::int32_t index) {
      return !contains(free[k], index) && factors[index] > 1;
    });
    if (is_apart)
      for (const auto index : seen[k])
        if (!contains(free[k], index)) --factors[index];
    result.push_back({std::move(needed_outside[k]), is_apart});
  }
  return result;
}

/// The two sides of ^ are blocks, and have no common index.
bool Checker::check_outer(const ast::Expr& product, const Indexes& needed,
                          const Indexes& partners) {
  if (std::ranges::find(product.operators, '^') == product.operators.end()) return true;
  const std::vector<Indexes> outside = needed_of(product, needed);
  Indexes before;
  bool is_after_block = false;
  for (std::size_t k = 0; k < product.parts.size(); ++k) {
    const ast::Expr& part = product.parts[k];
    const bool is_block = has_block(part, partners) && !is_closed(part, outside[k]);
    Indexes names = free_names(part, outside[k]);
    if (part.kind == ExprKind::block) collect_names(part, names);
    if (k > 0 && product.operators[k - 1] == '^') {
      if (!is_block || !is_after_block) {
        error("outer-product", is_block ? product.parts[k - 1].at : part.at, "'^' with a number",
              "'^' is the outer product of two blocks; scale with '*'");
        return false;
      }
      for (const auto index : names)
        if (contains(before, index)) {
          error("outer-product", part.at,
                fmt::format("both sides of '^' have index '{}'", list_of({index})),
                "the outer product joins blocks without a common index; '*' contracts");
          return false;
        }
    }
    is_after_block = is_after_block || is_block;
    add_new(before, names);
  }
  return true;
}

}  // namespace blockyard::sial::detail
