// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "blockyard/base/text.h"
#include "blockyard/program/detail/rules.h"
#include "blockyard/program/repeated_names.h"
#include "blockyard/program/verify.h"

namespace blockyard::program::detail {
namespace {

/// Far above any program, and low enough to bound the time that a hostile file can take.
constexpr std::size_t max_indexes = 1024;

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= max_name &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

/// Nothing in it can move the cursor or change the state of a terminal, but newline and tab.
bool is_showable(std::string_view text) {
  return text.size() <= max_text && base::showable(text) == text;
}

class Tables {
 public:
  explicit Tables(const Program& program) : p_(program) {}

  void verify() {
    if (!is_name(p_.name)) refuse("its name cannot be shown");
    for (const auto& file : p_.files)
      if (!is_showable(file)) refuse("the name of a source file cannot be shown");
    for (const auto& text : p_.texts)
      if (!is_showable(text)) refuse("a text cannot be shown");
    verify_declarations();
    for (const auto& selector : p_.selectors) verify_selector(selector);
    for (const auto& product : p_.products) verify_product(product);
    for (const auto& pardo : p_.pardos) verify_pardo(pardo);
    for (const auto& argument : p_.arguments) verify_argument(argument);
    verify_procs();
    if (p_.lines.size() != p_.code.size()) refuse("not one source line for each instruction");
    for (const auto& line : p_.lines) verify_place(line);
  }

 private:
  void verify_declarations() {
    for (const auto& x : p_.ints) declare(x.name, x.at);
    for (const auto& x : p_.scalars) declare(x.name, x.at);
    if (p_.indexes.size() > max_indexes) refuse("more than 1024 indexes");
    for (const auto& x : p_.indexes) verify_index(x);
    for (const auto& x : p_.arrays) verify_array(x);
    for (const auto& x : p_.specials) {
      if (!is_name(x.name)) refuse("the name of a super instruction cannot be shown");
      verify_place(x.at);
      if (x.signature.find_first_not_of("rwu") != std::string::npos ||
          x.signature.size() > max_name)
        refuse(fmt::format("special '{}' has a signature beyond r, w, u", x.name));
    }
  }

  void declare(const std::string& name, SourceLine at) {
    if (!is_name(name)) refuse("a declared name cannot be shown");
    if (!names_.insert(name).second) refuse(fmt::format("'{}' is declared twice", name));
    verify_place(at);
  }

  void verify_place(SourceLine at) {
    if (at.file >= p_.files.size()) refuse("a source line is in no source file");
  }

  void verify_index(const IndexDecl& x) {
    declare(x.name, x.at);
    for (const Bound& bound : {x.first, x.last}) {
      if (bound.is_name) {
        if (!is_entry(bound.value, p_.ints.size()) || !entry(p_.ints, bound.value).is_predefined)
          refuse(fmt::format("a bound of index '{}' is not a predefined int", x.name));
      } else if (bound.value < 1 && x.kind != array::IndexKind::simple) {
        refuse(fmt::format("index '{}' counts segments below 1", x.name));
      }
    }
    if (x.parent == -1) return;
    if (!is_entry(x.parent, p_.indexes.size()))
      refuse(fmt::format("subindex '{}' has a parent beyond the table", x.name));
    const IndexDecl& parent = entry(p_.indexes, x.parent);
    if (parent.parent != -1 || parent.kind != x.kind || x.kind == array::IndexKind::simple)
      refuse(fmt::format("subindex '{}' does not suit its parent", x.name));
  }

  void verify_array(const ArrayDecl& x) {
    declare(x.name, x.at);
    if (x.indexes.empty() || x.indexes.size() > array::max_order)
      refuse(fmt::format("array '{}' has no index, or more than {}", x.name, array::max_order));
    for (const auto index : x.indexes)
      if (!is_entry(index, p_.indexes.size()))
        refuse(fmt::format("array '{}' has an index beyond the table", x.name));
    if (x.is_hidden && x.kind != ArrayKind::temp)
      refuse(fmt::format("array '{}' is hidden, but not a temp", x.name));
  }

  void verify_selector(const Selector& x) {
    if (!is_entry(x.array, p_.arrays.size())) refuse("a selector of no array");
    const ArrayDecl& array = entry(p_.arrays, x.array);
    if (x.part != Part::all && (!array::is_complex(array.type) || x.form == SelectorForm::every ||
                                x.form == SelectorForm::whole))
      refuse(fmt::format("conj, real or imag of '{}', which is not a complex block", array.name));
    const bool is_region_array = array.kind == ArrayKind::local && array.is_contiguous;
    if (x.form == SelectorForm::whole) {
      // Distributed and served ones stand for themselves in execute only; none of ours takes them.
      const bool may_be_whole = array.kind == ArrayKind::static_ ||
                                array.kind == ArrayKind::distributed ||
                                array.kind == ArrayKind::served;
      if (!may_be_whole || !x.indexes.empty())
        refuse(fmt::format(
            "whole array '{}' in a selector, which is a temp or a local, or with indexes",
            array.name));
      return;
    }
    if (x.form == SelectorForm::region && !is_region_array)
      refuse(fmt::format("a region of '{}', which is not a contiguous local", array.name));
    if (x.form == SelectorForm::every && (array.kind != ArrayKind::local || is_region_array))
      refuse(fmt::format("all blocks of '{}', which is not a local", array.name));
    if (x.indexes.size() != array.indexes.size())
      refuse(fmt::format("a selector of '{}' has another order than the array", array.name));
    for (std::size_t k = 0; k < x.indexes.size(); ++k) verify_position(x, array, k);
  }

  void verify_position(const Selector& x, const ArrayDecl& array, std::size_t k) {
    const auto index = x.indexes[k];
    if (index == -1 && x.form != SelectorForm::block) return;
    if (!is_entry(index, p_.indexes.size()))
      refuse(fmt::format("a selector of '{}' has an index beyond the table", array.name));
    const IndexDecl& declared = entry(p_.indexes, array.indexes[k]);
    const IndexDecl& used = entry(p_.indexes, index);
    if (declared.kind != array::IndexKind::simple && used.kind != declared.kind)
      refuse(fmt::format("index {} of a selector of '{}' is of another kind", k, array.name));
    if (declared.parent != -1 && used.parent == -1)
      refuse(fmt::format("index {} of a selector of '{}' is not a subindex", k, array.name));
    if (x.form != SelectorForm::block && is_slice(p_, x, k))
      refuse(fmt::format("a part of a block of '{}' is allocated or in a region", array.name));
  }

  void verify_product(const Product& x) {
    if (x.operands.size() < 2 || x.operands.size() > max_factors)
      refuse("a product of one block, or of more than 64");
    for (const auto operand : x.operands) {
      if (!is_entry(operand, p_.selectors.size()) ||
          entry(p_.selectors, operand).form != SelectorForm::block)
        refuse("a product of something that is not a block");
      const auto& names = entry(p_.selectors, operand).indexes;
      if (std::set(names.begin(), names.end()).size() != names.size())
        refuse("a factor of a product has an index twice");
    }
  }

  void verify_pardo(const PardoDecl& x) {
    if (x.indexes.empty()) refuse("a pardo without indexes");
    if (std::set(x.indexes.begin(), x.indexes.end()).size() != x.indexes.size())
      refuse("a pardo has an index twice");
    for (const auto index : x.indexes)
      if (!is_entry(index, p_.indexes.size())) refuse("a pardo index beyond the table");
    if (!is_entry(x.body, p_.code.size()) || (x.where != -1 && !is_entry(x.where, p_.code.size())))
      refuse("a pardo begins beyond the code");
  }

  void verify_procs() {
    if (p_.procs.empty()) return;
    if (p_.procs.front().begin < 1) refuse("a procedure begins before the main program ends");
    for (std::size_t k = 0; k < p_.procs.size(); ++k) {
      const std::int32_t next = k + 1 < p_.procs.size() ? p_.procs[k + 1].begin
                                                        : static_cast<std::int32_t>(p_.code.size());
      if (p_.procs[k].begin >= p_.procs[k].end || p_.procs[k].end != next)
        refuse("the procedures do not follow each other up to the end of the code");
    }
  }

  void verify_argument(const Argument& x) {
    const std::size_t size = x.kind == ArgumentKind::selector   ? p_.selectors.size()
                             : x.kind == ArgumentKind::scalar   ? p_.scalars.size()
                             : x.kind == ArgumentKind::int_name ? p_.ints.size()
                                                                : p_.literals.size();
    if (!is_entry(x.id, size)) refuse("an argument beyond its table");
    if (x.kind != ArgumentKind::selector) return;
    if (entry(p_.selectors, x.id).form == SelectorForm::every)
      refuse("an argument that selects all blocks");
    if (entry(p_.selectors, x.id).part != Part::all)
      refuse("an argument that is conj, real or imag");
  }

  const Program& p_;
  std::set<std::string> names_;
};

}  // namespace

void verify_tables(const Program& program) { Tables(program).verify(); }

bool is_slice(const Program& program, const Selector& x, std::size_t k) {
  const auto declared = entry(program.arrays, x.array).indexes[k];
  const IndexDecl& array_index = entry(program.indexes, declared);
  return x.indexes[k] != -1 && array_index.kind != array::IndexKind::simple &&
         array_index.parent == -1 && entry(program.indexes, x.indexes[k]).parent != -1;
}

/// Whether position k is declared simple: its extent is 1, whatever index stands there.
bool is_single(const Program& program, const Selector& x, std::size_t k) {
  const auto declared = entry(program.arrays, x.array).indexes[k];
  return entry(program.indexes, declared).kind == array::IndexKind::simple;
}

bool suits(const Program& program, const Product& product, std::span<const std::int32_t> result) {
  std::vector<int> count(program.indexes.size(), 0);
  std::vector<bool> has_extent(program.indexes.size(), false);
  for (const auto operand : product.operands) {
    const Selector& block = entry(program.selectors, operand);
    for (std::size_t k = 0; k < block.indexes.size(); ++k) {
      const auto name = static_cast<std::size_t>(block.indexes[k]);
      ++count[name];
      has_extent[name] = has_extent[name] || !is_single(program, block, k);
    }
  }
  for (const auto name : result) {
    auto& seen = count[static_cast<std::size_t>(name)];
    if (seen < 1) return false;  // in no operand, or twice in the result
    seen = -1;
  }
  for (std::size_t index = 0; index < count.size(); ++index)
    if (count[index] == 1 && has_extent[index]) return false;
  return true;
}

bool can_copy(const Program& program, const Selector& to, const Selector& from, bool in_order) {
  const auto left = names_for_copy(program, to);
  const auto right = names_for_copy(program, from);
  if (!in_order && targets_of_repeated(left, right)) return true;
  std::vector<bool> is_matched(right.size(), false);
  std::size_t begin = 0;
  for (std::size_t k = 0; k < left.size(); ++k) {
    std::size_t other = begin;
    while (other < is_matched.size() && (is_matched[other] || right[other] != left[k])) ++other;
    if (other == is_matched.size() && !is_single(program, to, k)) return false;
    if (other == is_matched.size()) continue;
    is_matched[other] = true;
    if (in_order) begin = other + 1;
  }
  for (std::size_t k = 0; k < is_matched.size(); ++k)
    if (!is_matched[k] && !is_single(program, from, k)) return false;
  return true;
}

}  // namespace blockyard::program::detail
