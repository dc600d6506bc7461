// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "blockyard/program/repeated_names.h"
#include "blockyard/program/verify.h"
#include "blockyard/sial/detail/checker.h"

namespace blockyard::sial::detail {
namespace {

using checked::Operand;
using checked::Term;
using program::SelectorForm;

template <class List, class Value>
bool contains(const List& list, const Value& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

std::size_t operands_with(const Term& term, std::int32_t index) {
  return static_cast<std::size_t>(
      std::count_if(term.operands.begin(), term.operands.end(),
                    [&](const Operand& operand) { return contains(operand.indexes, index); }));
}

}  // namespace

void Checker::resolve(Terms& terms, const Target& target) {
  for (auto& term : terms) resolve_term(term, target);
}

void Checker::resolve_term(Term& term, const Target& target) {
  if (term.operands.empty()) {
    if (!target.is_scalar)
      error("number-and-block", term.at, "a number is added to a block",
            "add it to every element in a statement of its own: L += x");
    return;
  }
  resolve_operands(term);
  const bool is_same_list = !target.is_scalar && term.operands.size() == 1 &&
                            have_same_begin(target.names, term.operands.front().indexes);
  for (const auto& operand : term.operands)
    for (std::size_t k = 0; k < operand.indexes.size(); ++k)
      if (!is_same_list &&
          std::count(operand.indexes.begin(), operand.indexes.end(), operand.indexes[k]) > 1) {
        error("index-twice", operand.at,
              fmt::format("index '{}' appears twice in one block", list_of({operand.indexes[k]})),
              "use two indexes, and 'where' or 'if' for the diagonal");
        return;
      }
  if (term.operands.size() > 1) {
    if (check_casts(term, target)) check_product_names(term, target);
    return;
  }
  if (target.is_scalar) {
    error("block-as-number", term.at, "a block stands where a number must stand",
          "a product that contracts all indexes is a number: a[i,j]*b[i,j]");
    return;
  }
  check_copy(term.operands.front(), target);
}

/// Lists like those of a[i,i] = b[i,i,s] are matched by position: the rest of one is simple.
bool Checker::have_same_begin(const Indexes& one, const Indexes& other) const {
  const Indexes& longer = one.size() > other.size() ? one : other;
  const auto common = static_cast<std::ptrdiff_t>(std::min(one.size(), other.size()));
  return std::equal(one.begin(), one.begin() + common, other.begin()) &&
         std::all_of(longer.begin() + common, longer.end(),
                     [this](std::int32_t index) { return is_simple(index); });
}

/// An index that stands twice in the result must stand so in each term, which is a single block.
bool Checker::check_target_names(const Block& target, const Indexes& names, const Terms& terms) {
  const auto twice = std::ranges::find_if(
      names, [&](std::int32_t index) { return std::ranges::count(names, index) > 1; });
  if (twice == names.end()) return true;
  const bool is_same_list = std::ranges::all_of(terms, [&](const Term& term) {
    return term.operands.size() == 1 && have_same_begin(names, term.operands.front().indexes);
  });
  if (!is_same_list)
    error("index-twice", target.at,
          fmt::format("index '{}' appears twice in one block", list_of({*twice})),
          "use two indexes, and 'where' or 'if' for the diagonal");
  return is_same_list;
}

/// The copy t[nu,nu] = a[mu,nu], which has a meaning for ACES4: true, with a warning.
bool Checker::check_repeated_names(const Block& target, const Indexes& names, const Terms& terms) {
  if (names.size() != target.selector.indexes.size() || terms.size() != 1 ||
      terms.front().operands.size() != 1 || terms.front().is_negative ||
      !terms.front().factor.empty())
    return false;
  const Operand& from = terms.front().operands.front();
  if (!from.sum.empty() || from.block.selector.form != SelectorForm::block ||
      from.indexes.size() != from.block.selector.indexes.size())
    return false;
  const auto places = program::targets_of_repeated(names, from.indexes);
  if (!places) return false;
  for (std::size_t k = 0; k < places->size(); ++k)
    if (is_simple(from.indexes[k]) != is_simple(names[(*places)[k]])) return false;
  findings_.warning(
      "index-twice", from.at,
      fmt::format("block [{}] is copied to [{}], which names an index twice", list_of(from.indexes),
                  list_of(names)),
      "it is copied element by element, for segments of equal extents only; two indexes of the "
      "result would say what is meant");
  return true;
}

/// An index cast to a number in one block cannot be the segment of another block of the product:
/// the two have different extents under one name.
bool Checker::check_casts(const Term& term, const Target& target) {
  Indexes cast;
  Indexes names = target.names;
  const auto add = [&](const Block& block) {
    if (block.selector.form != SelectorForm::block || block.selector.array < 0) return;
    const Indexes own = names_of(block);
    for (const auto index : block.selector.indexes)
      if (!contains(own, index)) cast.push_back(index);
    names.insert(names.end(), own.begin(), own.end());
  };
  if (target.block != nullptr) add(*target.block);
  for (const auto& operand : term.operands) {
    add(operand.block);
    if (!operand.sum.empty())
      names.insert(names.end(), operand.indexes.begin(), operand.indexes.end());
  }
  for (const auto index : cast)
    if (contains(names, index)) {
      error("cast-and-segment", term.at,
            fmt::format("'{0}' is used here both as the number (index){0} and as a segment",
                        list_of({index})),
            "copy one of the blocks to a temp in a statement of its own");
      return false;
    }
  return true;
}

/// Gives brackets their indexes: those that are needed outside, or that stand in only one of its
/// own factors.
void Checker::resolve_operands(Term& term) {
  for (Operand& operand : term.operands) {
    if (operand.sum.empty() || operand.is_resolved) continue;
    operand.is_resolved = true;
    operand.indexes = result_of(operand.sum, operand.needed);
    if (operand.indexes.size() > array::max_order)
      error("too-many-indexes", operand.at,
            fmt::format("this bracket has the indexes [{}]", list_of(operand.indexes)),
            fmt::format("a block has at most {}", array::max_order));
    resolve(operand.sum, {operand.indexes, nullptr, false});
  }
}

/// The indexes of the value of a sum of which `needed` are used outside: those of all its terms, so
/// that a segmented one that a term lacks is an error whatever their order. Where one term has a
/// subindex and another its parent, the part is meant; a simple index that a product lacks is left
/// out.
Checker::Indexes Checker::result_of(Terms& sum, const Indexes& needed) {
  Indexes result;
  for (Term& term : sum)
    for (const auto index : result_of(term, needed))
      if (!contains(result, index)) result.push_back(index);
  const auto is_part = [this](std::int32_t index, std::int32_t of) {
    return result_.indexes[static_cast<std::size_t>(index)].parent == of;
  };
  std::erase_if(result, [&](std::int32_t index) {
    return std::ranges::any_of(sum, [&](Term& term) {
      const Indexes own = result_of(term, needed);
      if (contains(own, index)) return false;
      if (is_simple(index)) return term.operands.size() > 1;
      return std::ranges::any_of(own, [&](std::int32_t other) { return is_part(other, index); });
    });
  });
  return result;
}

/// The indexes of the value of a term of which `needed` are used outside.
Checker::Indexes Checker::result_of(Term& term, const Indexes& needed) {
  resolve_operands(term);
  if (term.operands.size() == 1) return term.operands.front().indexes;
  Indexes result;
  for (const auto& operand : term.operands)
    for (const auto index : operand.indexes)
      if (!contains(result, index) && (operands_with(term, index) == 1 || contains(needed, index)))
        result.push_back(index);
  return result;
}

void Checker::check_product_names(const Term& term, const Target& target) {
  if (term.operands.size() > program::max_factors)
    return error(
        "too-many-factors", term.at, fmt::format("a product of {} blocks", term.operands.size()),
        fmt::format("it has at most {}: compute a part of it before", program::max_factors));
  for (const auto& operand : term.operands) {
    const auto& positions = operand.block.selector.indexes;
    for (const auto index : positions)
      if (operand.sum.empty() && index >= 0 && std::ranges::count(positions, index) > 1)
        return error("index-twice", operand.at,
                     fmt::format("index '{}' appears twice in a factor", list_of({index})),
                     "copy the block to a temp in a statement of its own");
    if (operand.sum.empty() && operand.block.selector.form == SelectorForm::region) {
      error("region-in-product", operand.at, "a contiguous region in a product",
            "copy it to a temp block before");
      return;
    }
    for (const auto index : operand.indexes)
      if (operands_with(term, index) == 1 && !contains(target.names, index) && !is_simple(index)) {
        error(
            "index-left-over", operand.at,
            fmt::format("index '{}' is in only one factor and not in the result", list_of({index})),
            "an index is summed if two factors have it, and kept if the result has it");
        return;
      }
  }
  for (const auto index : target.names)
    if (operands_with(term, index) == 0) {
      error("index-missing", term.at,
            fmt::format("index '{}' of the result is in no factor", list_of({index})),
            fmt::format("the result has the indexes [{}]", list_of(target.names)));
      return;
    }
}

/// Whether all terms are single blocks with the same segmented indexes.
bool Checker::are_alike(const Terms& terms) const {
  Indexes first;
  for (const Term& term : terms) {
    if (term.operands.size() != 1) return false;
    Indexes names = term.operands.front().indexes;
    std::erase_if(names, [this](std::int32_t index) { return is_simple(index); });
    if (&term == &terms.front()) first = names;
    if (!std::ranges::is_permutation(first, names)) return false;
  }
  return !terms.empty();
}

/// Where `wanted` has a subindex and the block its parent, the block's part is meant. A cast
/// position is a number and stays.
void Checker::use_part(Indexes& names, Block& block, const Indexes& wanted) {
  if (block.selector.form != SelectorForm::block || block.selector.array < 0) return;
  for (const auto sub : wanted) {
    const std::int32_t parent = result_.indexes[static_cast<std::size_t>(sub)].parent;
    if (parent < 0 || contains(names, sub) || contains(wanted, parent)) continue;
    std::replace(names.begin(), names.end(), parent, sub);
    const auto& declared = array_of(block).indexes;
    for (std::size_t k = 0; k < declared.size(); ++k)
      if (block.selector.indexes[k] == parent && !is_simple(declared[k]))
        block.selector.indexes[k] = sub;
  }
}

void Checker::check_copy(Operand& operand, const Target& target) {
  const bool is_region =
      operand.block.selector.form == SelectorForm::region ||
      (target.block != nullptr && target.block->selector.form == SelectorForm::region);
  if (is_region) return check_region_copy(operand, target);
  use_part(operand.indexes, operand.block, target.names);
  for (const bool is_left : {true, false}) {
    const Indexes& from = is_left ? target.names : operand.indexes;
    const Indexes& into = is_left ? operand.indexes : target.names;
    for (const auto index : from) {
      if (contains(into, index) || is_simple(index)) continue;
      error("index-mismatch", operand.at,
            fmt::format("this block has the indexes [{}], the result [{}]",
                        list_of(operand.indexes), list_of(target.names)),
            fmt::format("index '{}' is only on the {}; the same names must stand on both sides, in "
                        "any order; only simple indexes may be extra",
                        list_of({index}), is_left ? "left" : "right"));
      return;
    }
  }
}

/// Regions of plain indexes are matched by name; if one position is a range, all are matched by
/// position.
void Checker::check_region_copy(const Operand& operand, const Target& target) {
  if (target.block == nullptr || !operand.sum.empty()) {
    error("region-in-product", operand.at, "a contiguous region in a product",
          "copy it to a temp block before");
    return;
  }
  const Block& left = *target.block;
  const Block& right = operand.block;
  const auto declared_left = array_of(left).indexes;
  const auto declared_right = array_of(right).indexes;
  bool fits = declared_left.size() == declared_right.size();
  if (left.ranges.empty() && right.ranges.empty()) {
    // A cast position has no name, and the other side, a region, none to match it.
    fits = fits && names_of(left).size() == declared_left.size() &&
           names_of(right).size() == declared_right.size();
    for (const auto index : left.selector.indexes)
      fits = fits && contains(right.selector.indexes, index);
  } else {
    for (std::size_t k = 0; fits && k < declared_left.size(); ++k)
      fits = result_.indexes[static_cast<std::size_t>(declared_left[k])].kind ==
             result_.indexes[static_cast<std::size_t>(declared_right[k])].kind;
  }
  if (!fits)
    error("region-mismatch", operand.at,
          fmt::format("the region [{}] of '{}' and [{}] of '{}' do not fit",
                      list_of(left.selector.indexes), array_of(left).name,
                      list_of(right.selector.indexes), array_of(right).name),
          "both sides need the same index names, none as a number (index)i, or, with ranges, the "
          "same index kinds in the same order");
}

}  // namespace blockyard::sial::detail
