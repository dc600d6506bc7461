// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "blockyard/sial/detail/checker.h"

namespace blockyard::sial::detail {
namespace {

using ast::DeclKind;

bool has(const ast::Declaration& declaration, std::string_view modifier) {
  for (const auto& word : declaration.modifiers)
    if (word.text == modifier) return true;
  return false;
}

/// Whether the modifier means something for what is declared.
bool fits(const ast::Declaration& declaration, std::string_view modifier) {
  const std::string& keyword = declaration.keyword.text;
  if (modifier == "sparse") return keyword == "distributed" || keyword == "served";
  if (modifier == "contiguous") return keyword == "local";
  if (modifier == "single") return declaration.kind == DeclKind::array;
  if (modifier == "complex")
    return declaration.kind == DeclKind::array || declaration.kind == DeclKind::scalar;
  if (modifier != "predefined") return true;
  return declaration.kind == DeclKind::array
             ? keyword == "static"
             : declaration.kind != DeclKind::subindex && declaration.kind != DeclKind::special;
}

std::optional<std::int32_t> number_of(std::string_view digits) {
  std::int32_t value = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (status != std::errc{}) return std::nullopt;
  return value;
}

program::ArrayKind array_kind_of(std::string_view word) {
  if (word == "static") return program::ArrayKind::static_;
  if (word == "local") return program::ArrayKind::local;
  if (word == "distributed") return program::ArrayKind::distributed;
  if (word == "served") return program::ArrayKind::served;
  return program::ArrayKind::temp;
}

}  // namespace

void Checker::declare_all() {
  // Imports first: their names are known when the importing unit declares its own.
  for (unit_ = units_.size(); unit_-- > 0;) {
    for (const auto& declaration : units_[unit_].declarations) declare(declaration);
    for (const auto& proc : units_[unit_].procs) {
      names_.declare(unit_, SymbolKind::proc, static_cast<std::int32_t>(result_.procs.size()),
                     proc.name);
      result_.procs.push_back({proc.name.text, proc.name.at, {}, false});
    }
    if (unit_ == 0) break;
  }
}

void Checker::declare(const ast::Declaration& declaration) {
  check_modifiers(declaration);
  switch (declaration.kind) {
    case DeclKind::int_:
      declare_int(declaration);
      break;
    case DeclKind::scalar:
      declare_scalar(declaration);
      break;
    case DeclKind::index:
      declare_index(declaration);
      break;
    case DeclKind::subindex:
      declare_subindex(declaration);
      break;
    case DeclKind::array:
      declare_array(declaration);
      break;
    case DeclKind::special:
      declare_special(declaration);
      break;
  }
}

void Checker::check_modifiers(const ast::Declaration& declaration) {
  for (const auto& word : declaration.modifiers) {
    const std::string& text = word.text;
    if (!fits(declaration, text)) {
      findings_.warning("modifier", word.at,
                        fmt::format("'{}' has no effect on '{}'", text, declaration.keyword.text),
                        text == "sparse"       ? "sparse arrays are distributed or served"
                        : text == "contiguous" ? "contiguous arrays are local"
                        : text == "single"     ? "arrays can be single; scalars are f64"
                        : text == "complex"    ? "arrays and scalars can be complex"
                                               : "the job gives values of ints, scalars, indexes "
                                                 "and static arrays");
    } else if (text != "sparse" && text != "contiguous" && text != "predefined" &&
               text != "complex" && text != "single") {
      findings_.warning("old-modifier", word.at, fmt::format("'{}' has no effect", text),
                        "leave it out");
    }
  }
}

void Checker::declare_int(const ast::Declaration& declaration) {
  program::IntDecl entry{declaration.name.text,
                         has(declaration, "predefined"),
                         0,
                         {declaration.name.at.file, declaration.name.at.line}};
  if (declaration.initial) {
    const Expr value = check_typed(*declaration.initial, checked::Type::int_, "the initial value");
    const Expr& number = value.kind == checked::ExprKind::negate ? value.parts[0] : value;
    if (number.kind == checked::ExprKind::integer)
      entry.initial = &number == &value ? number.number : -number.number;
    else if (value.type != checked::Type::bad)
      error("bad-initial", declaration.initial->at, "the initial value is not a number",
            "write a literal, and assign other values in a statement");
  }
  auto id = static_cast<std::int32_t>(result_.ints.size());
  if (entry.is_predefined) {
    const auto [known, is_new] = shared_ints_.emplace(entry.name, id);
    if (!is_new) id = known->second;
  }
  if (!names_.declare(unit_, SymbolKind::int_, id, declaration.name)) return;
  if (static_cast<std::size_t>(id) < result_.ints.size()) return;
  result_.ints.push_back(std::move(entry));
}

void Checker::declare_scalar(const ast::Declaration& declaration) {
  program::ScalarDecl entry{declaration.name.text,
                            has(declaration, "predefined"),
                            0,
                            {declaration.name.at.file, declaration.name.at.line},
                            has(declaration, "complex")};
  if (declaration.initial) {
    const Expr value =
        check_typed(*declaration.initial, checked::Type::scalar, "the initial value");
    const Expr& number = value.kind == checked::ExprKind::negate ? value.parts[0] : value;
    if (number.kind == checked::ExprKind::literal)
      entry.initial = &number == &value ? number.real : -number.real;
    else if (value.type != checked::Type::bad)
      error("bad-initial", declaration.initial->at, "the initial value is not a number",
            "write a literal, and assign other values in a statement");
  }
  auto id = static_cast<std::int32_t>(result_.scalars.size());
  if (entry.is_predefined) {
    const auto known = shared_scalars_.find(entry.name);
    if (known != shared_scalars_.end()) {
      const auto& first = result_.scalars[static_cast<std::size_t>(known->second)];
      if (first.is_complex == entry.is_complex)
        id = known->second;
      else
        report_unlike(declaration.name, first.at);
    }
  }
  if (!names_.declare(unit_, SymbolKind::scalar, id, declaration.name)) return;
  if (static_cast<std::size_t>(id) < result_.scalars.size()) return;
  if (entry.is_predefined) shared_scalars_.emplace(entry.name, id);
  result_.scalars.push_back(std::move(entry));
}

program::Bound Checker::check_bound(const ast::Bound& bound, bool is_simple_index) {
  if (bound.text.empty()) return {};
  if (bound.text[0] >= '0' && bound.text[0] <= '9') {
    const auto number = number_of(bound.text);
    if (!number) {
      error("number-too-large", bound.at, fmt::format("'{}' is too large", bound.text),
            "segment numbers go up to 2147483647");
      return {};
    }
    if (!is_simple_index && (bound.is_negative || *number < 1))
      error("bad-range", bound.at, "segments are numbered from 1",
            "only simple indexes (declared with 'index') may have zero or negative values");
    return {false, bound.is_negative ? -*number : *number};
  }
  Symbol* symbol = find({bound.text, bound.at}, SymbolKind::int_);
  if (symbol == nullptr) return {};
  if (!result_.ints[static_cast<std::size_t>(symbol->id)].is_predefined)
    error("range-not-predefined", bound.at,
          fmt::format("int '{}' as the end of a range is not predefined", bound.text),
          "ranges are fixed before the program runs: declare it 'predefined int'");
  return {true, symbol->id};
}

void Checker::declare_index(const ast::Declaration& declaration) {
  program::IndexDecl entry;
  entry.name = declaration.name.text;
  entry.at = {declaration.name.at.file, declaration.name.at.line};
  for (std::size_t k = 0; k < array::kind_count; ++k)
    if (array::kind_keywords[k] == declaration.keyword.text)
      entry.kind = static_cast<array::IndexKind>(k);
  const bool is_simple_index = entry.kind == array::IndexKind::simple;
  if (declaration.first) entry.first = check_bound(*declaration.first, is_simple_index);
  if (declaration.last) entry.last = check_bound(*declaration.last, is_simple_index);
  const auto is_number = [](const std::optional<ast::Bound>& bound) {
    return bound && !bound->text.empty() && bound->text[0] >= '0' && bound->text[0] <= '9';
  };
  if (is_number(declaration.first) && is_number(declaration.last) &&
      entry.first.value > entry.last.value) {
    Place at = declaration.first->at;
    at.length = declaration.last->at.column + declaration.last->at.length - at.column;
    error("bad-range", at,
          fmt::format("the range {}:{} of '{}' is empty", entry.first.value, entry.last.value,
                      entry.name),
          "the smaller end comes first");
  }
  const auto id = static_cast<std::int32_t>(result_.indexes.size());
  if (!names_.declare(unit_, SymbolKind::index, id, declaration.name)) return;
  result_.indexes.push_back(std::move(entry));
}

void Checker::declare_subindex(const ast::Declaration& declaration) {
  if (!declaration.parent || declaration.parent->text.empty()) return;
  Symbol* parent = find(*declaration.parent, SymbolKind::index);
  program::IndexDecl entry;
  entry.name = declaration.name.text;
  entry.at = {declaration.name.at.file, declaration.name.at.line};
  if (parent != nullptr) {
    const auto& of = result_.indexes[static_cast<std::size_t>(parent->id)];
    entry.kind = of.kind;
    entry.first = of.first;
    entry.last = of.last;
    entry.parent = parent->id;
    if (of.parent >= 0 || of.kind == array::IndexKind::simple)
      error("bad-parent", declaration.parent->at,
            fmt::format("'{}' cannot be split", declaration.parent->text),
            of.parent >= 0 ? "a subindex is of an index, not of another subindex"
                           : "a simple index has segments of one element");
  }
  const auto id = static_cast<std::int32_t>(result_.indexes.size());
  if (!names_.declare(unit_, SymbolKind::index, id, declaration.name)) return;
  result_.indexes.push_back(std::move(entry));
}

void Checker::declare_array(const ast::Declaration& declaration) {
  program::ArrayDecl entry;
  entry.name = declaration.name.text;
  entry.at = {declaration.name.at.file, declaration.name.at.line};
  entry.kind = array_kind_of(declaration.keyword.text);
  const auto is = [&](std::string_view modifier) {
    return has(declaration, modifier) && fits(declaration, modifier);
  };
  entry.is_predefined = is("predefined");
  entry.is_contiguous = is("contiguous");
  entry.is_sparse = is("sparse");
  entry.type = array::element_type(is("complex"), is("single"));
  for (const auto& name : declaration.indexes) {
    const Symbol* index = find(name, SymbolKind::index);
    if (index != nullptr)
      entry.indexes.push_back(index->id);
    else
      broken_arrays_.insert(static_cast<std::int32_t>(result_.arrays.size()));
  }
  if (entry.indexes.size() > array::max_order)
    error("too-many-indexes", declaration.name.at,
          fmt::format("'{}' has {} indexes", entry.name, entry.indexes.size()),
          fmt::format("an array has at most {}", array::max_order));
  auto id = static_cast<std::int32_t>(result_.arrays.size());
  if (entry.is_predefined && !broken_arrays_.contains(id)) {
    const auto known = shared_arrays_.find(entry.name);
    if (known != shared_arrays_.end()) {
      const auto& first = result_.arrays[static_cast<std::size_t>(known->second)];
      if (are_alike(first, entry))
        id = known->second;
      else
        report_unlike(declaration.name, first.at);
    }
  }
  if (!names_.declare(unit_, SymbolKind::array, id, declaration.name)) return;
  if (static_cast<std::size_t>(id) < result_.arrays.size()) return;
  if (entry.is_predefined) shared_arrays_.emplace(entry.name, id);
  result_.arrays.push_back(std::move(entry));
}

/// Whether two declarations of a predefined array mean the same data of the job: each file has
/// indexes of its own.
bool Checker::are_alike(const program::ArrayDecl& one, const program::ArrayDecl& other) const {
  const auto is_same_range = [this](std::int32_t left, std::int32_t right) {
    const auto& a = result_.indexes[static_cast<std::size_t>(left)];
    const auto& b = result_.indexes[static_cast<std::size_t>(right)];
    return left == right || (a.kind == b.kind && a.first == b.first && a.last == b.last &&
                             a.parent < 0 && b.parent < 0);
  };
  return one.kind == other.kind && one.type == other.type &&
         std::ranges::equal(one.indexes, other.indexes, is_same_range);
}

/// The job gives predefined data by name: one name cannot be two things.
void Checker::report_unlike(const ast::Name& name, const program::SourceLine& first) {
  error("predefined-differs", name.at,
        fmt::format("the predefined '{}' is declared otherwise in another file", name.text),
        fmt::format("it is declared at {}:{}, and the job gives one value of that name",
                    result_.files[first.file], first.line));
}

void Checker::declare_special(const ast::Declaration& declaration) {
  program::SpecialDecl entry{
      declaration.name.text, "", {declaration.name.at.file, declaration.name.at.line}};
  if (declaration.signature) {
    entry.signature = declaration.signature->text;
    for (const char c : entry.signature)
      if (c != 'r' && c != 'w' && c != 'u') {
        error("bad-signature", declaration.signature->at,
              fmt::format("'{}' in a signature is not an access mode", c),
              "one letter for each argument: r read, w written, u updated");
        break;
      }
  }
  auto id = static_cast<std::int32_t>(result_.specials.size());
  const auto [known, is_new] = shared_specials_.emplace(entry.name + " " + entry.signature, id);
  if (!is_new) id = known->second;
  if (!names_.declare(unit_, SymbolKind::special, id, declaration.name)) return;
  if (static_cast<std::size_t>(id) < result_.specials.size()) return;
  result_.specials.push_back(std::move(entry));
}

}  // namespace blockyard::sial::detail
