// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "blockyard/sial/detail/checker.h"

namespace blockyard::sial::detail {
namespace {

using ast::ExprKind;
using program::SelectorForm;

checked::Block begin_block(const ast::Expr& source, SelectorForm form, std::int32_t array) {
  checked::Block block;
  block.at = source.at;
  block.selector.form = form;
  block.selector.array = array;
  return block;
}

}  // namespace

/// Whether a selector has as many indexes as the array.
bool Checker::match_counts(const ast::Expr& source, std::int32_t array) {
  const auto& declared = result_.arrays[static_cast<std::size_t>(array)];
  if (source.parts.size() == declared.indexes.size()) return true;
  if (declared.indexes.empty()) return false;  // its declaration is in error
  error("index-count", source.at,
        fmt::format("'{}' has {} indexes, not {}", declared.name, declared.indexes.size(),
                    source.parts.size()),
        fmt::format("it is declared {}[{}]", declared.name, list_of(declared.indexes)));
  return false;
}

/// The block or region that `a[i,j]` means; selector.array is -1 if it means none.
Checker::Block Checker::check_block(const ast::Expr& source) {
  Block block;
  block.at = source.at;
  block.selector.array = -1;
  const Symbol* symbol = find({source.text, source.at}, SymbolKind::array);
  if (symbol == nullptr || broken_arrays_.contains(symbol->id)) return block;
  const std::int32_t array = symbol->id;
  const auto& declared = result_.arrays[static_cast<std::size_t>(array)];
  if (!match_counts(source, array)) return block;
  if (declared.is_contiguous) return check_region(source, array);
  bool is_good = true;
  for (std::size_t k = 0; k < source.parts.size(); ++k) {
    const std::int32_t index = check_position(source.parts[k], array, k);
    is_good = is_good && index >= 0;
    block.selector.indexes.push_back(index);
  }
  if (is_good) block.selector.array = array;
  return block;
}

bool Checker::is_index_name(const ast::Expr& source) const {
  if (source.kind != ExprKind::name) return false;
  const Symbol* symbol = names_.peek(unit_, source.text);
  return symbol != nullptr && symbol->kind == SymbolKind::index;
}

std::int32_t Checker::check_position(const ast::Expr& source, std::int32_t array,
                                     std::size_t position) {
  const auto& declared = result_.arrays[static_cast<std::size_t>(array)];
  const bool is_cast = source.kind == ExprKind::cast && source.text == "index";
  const ast::Expr& name = is_cast ? source.parts.front() : source;
  if (source.kind == ExprKind::wildcard || source.kind == ExprKind::range) {
    error("position-form", source.at,
          fmt::format("a {} selects no block of '{}'",
                      source.kind == ExprKind::wildcard ? "'*'" : "range", declared.name),
          source.kind == ExprKind::wildcard ? "'*' is for allocate and deallocate"
                                            : "ranges are for arrays declared 'contiguous local'");
    return -1;
  }
  if (name.kind != ExprKind::name) {
    error("position-not-index", source.at,
          fmt::format("index {} of '{}' is not the name of an index", position + 1, declared.name),
          "blocks are selected by the indexes of the surrounding loops");
    return -1;
  }
  const Symbol* symbol = find({name.text, name.at}, SymbolKind::index);
  if (symbol == nullptr) return -1;
  const std::int32_t wanted = declared.indexes[position];
  if (is_cast) {
    if (is_simple(wanted)) return symbol->id;
    error("bad-cast", source.at,
          fmt::format("index {} of '{}' is not a simple index", position + 1, declared.name),
          "(index) makes a simple index of another one; leave it out here");
    return -1;
  }
  return match_kinds(symbol->id, wanted, source.at, declared.name) ? symbol->id : -1;
}

/// Whether `index` may stand where array `array` is declared with index `declared`.
bool Checker::match_kinds(std::int32_t index, std::int32_t declared, Place at,
                          const std::string& array) {
  const auto& used = result_.indexes[static_cast<std::size_t>(index)];
  const auto& wanted = result_.indexes[static_cast<std::size_t>(declared)];
  if (used.kind != wanted.kind) {
    error("index-kind", at,
          fmt::format("'{}' is {}, but '{}' is declared here with '{}', {}", used.name,
                      with_article(array::kind_keywords[static_cast<std::size_t>(used.kind)]),
                      array, wanted.name,
                      with_article(array::kind_keywords[static_cast<std::size_t>(wanted.kind)])),
          wanted.kind == array::IndexKind::simple
              ? fmt::format("write (index){} to use its number", used.name)
              : "use an index of the declared kind");
    return false;
  }
  if (wanted.parent >= 0 && used.parent < 0) {
    error("index-kind", at,
          fmt::format("'{}' is not a subindex, but '{}' is declared here with subindex '{}'",
                      used.name, array, wanted.name),
          fmt::format("use '{}' in a loop 'do {} in {}'", wanted.name, wanted.name,
                      result_.indexes[static_cast<std::size_t>(wanted.parent)].name));
    return false;
  }
  return true;
}

Checker::Block Checker::check_region(const ast::Expr& source, std::int32_t array) {
  Block block = begin_block(source, SelectorForm::region, array);
  const auto declared = result_.arrays[static_cast<std::size_t>(array)];
  for (std::size_t k = 0; k < source.parts.size(); ++k) {
    const ast::Expr& part = source.parts[k];
    if (part.kind == ExprKind::wildcard) {
      error("position-form", part.at, "'*' selects no region",
            "write both ends, as in c[1:norb,1:norb]");
      block.selector.array = -1;
    } else if (is_index_name(part)) {
      const Symbol* symbol = find({part.text, part.at}, SymbolKind::index);
      if (!match_kinds(symbol->id, declared.indexes[k], part.at, declared.name))
        block.selector.array = -1;
      block.selector.indexes.push_back(symbol->id);
    } else {
      const bool is_range = part.kind == ExprKind::range;
      // (index)j is the number of j where a simple index is declared: a range of that one.
      const bool is_cast = part.kind == ExprKind::cast && part.text == "index" &&
                           is_index_name(part.parts.front()) && is_simple(declared.indexes[k]);
      without_brackets_ = "range";
      for (int end = 0; end < 2; ++end) {
        const ast::Expr& value = is_range  ? part.parts[static_cast<std::size_t>(end)]
                                 : is_cast ? part.parts.front()
                                           : part;
        block.ranges.push_back(check_typed(value, checked::Type::int_, "the end of a range"));
        if (!limit_stack(block.ranges.back())) block.selector.array = -1;
      }
      without_brackets_ = {};
      block.selector.indexes.push_back(-1);
    }
  }
  if (block.selector.array >= 0 &&
      !check_whole_block(block, "region", "copy the whole block to a temp, and take the part"))
    block.selector.array = -1;
  return block;
}

/// For allocate and deallocate: an index or `*` at each position.
Checker::Block Checker::check_wildcards(const ast::Expr& source, std::int32_t array) {
  Block block = begin_block(source, SelectorForm::every, array);
  const auto declared = result_.arrays[static_cast<std::size_t>(array)];
  if (source.kind == ExprKind::name) {
    block.selector.indexes.assign(declared.indexes.size(), -1);
    return block;
  }
  if (!match_counts(source, array)) return block;
  for (std::size_t k = 0; k < source.parts.size(); ++k)
    block.selector.indexes.push_back(source.parts[k].kind == ExprKind::wildcard
                                         ? -1
                                         : check_position(source.parts[k], array, k));
  return block;
}

Checker::Block Checker::check_whole(const ast::Name& name, std::int32_t array) const {
  Block block;
  block.at = name.at;
  block.selector.form = SelectorForm::whole;
  block.selector.array = array;
  return block;
}

/// All its declared indexes are simple: it is a number as well as a block.
bool Checker::is_scalar_valued(const Block& block) const {
  if (block.selector.form != SelectorForm::block || block.selector.array < 0) return false;
  const auto& declared = array_of(block).indexes;
  return std::all_of(declared.begin(), declared.end(),
                     [this](std::int32_t index) { return is_simple(index); });
}

/// The names that decide in expressions. A cast position has extent 1 and no name; a range of a
/// region has none either.
Checker::Indexes Checker::names_of(const Block& block) const {
  Indexes result;
  if (block.selector.array < 0) return result;
  const auto& declared = array_of(block).indexes;
  for (std::size_t k = 0; k < block.selector.indexes.size(); ++k) {
    const std::int32_t index = block.selector.indexes[k];
    if (index < 0 || (is_simple(declared[k]) && !is_simple(index))) continue;
    result.push_back(index);
  }
  return result;
}

}  // namespace blockyard::sial::detail
