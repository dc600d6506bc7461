// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "blockyard/sial/ast.h"

namespace blockyard::sial::detail {

enum class SymbolKind : std::uint8_t { int_, scalar, index, array, special, proc };

/// "int", "scalar", ... for messages.
[[nodiscard]] std::string_view name_of(SymbolKind kind) noexcept;

/// "an int", "a scalar".
[[nodiscard]] std::string with_article(std::string_view noun);

struct Symbol {
  SymbolKind kind = SymbolKind::int_;
  std::int32_t id = -1;  ///< entry of the table of its kind
  std::string name;
  Place at;
  std::size_t unit = 0;
  bool is_used = false;
};

/// The visibility of names. A unit sees its own names and those of everything it imports;
/// `unit.name` says which one is meant.
class Names {
 public:
  Names(const std::vector<ast::Unit>& units, Findings& findings);

  /// Adds a name of `unit`; reports a second declaration in the same unit or in one it imports.
  /// Units must be filled imports first. Two units may name the same entry (what both declare
  /// alike, like a predefined int). Returns false if the name was refused.
  bool declare(std::size_t unit, SymbolKind kind, std::int32_t id, const ast::Name& name);

  /// The symbol that `name` means in `unit`; reports if there is none, or more than one.
  Symbol* find(std::size_t unit, const ast::Name& name, std::string_view wanted);
  /// The same without a report.
  [[nodiscard]] const Symbol* peek(std::size_t unit, std::string_view name) const;

  [[nodiscard]] const std::vector<Symbol>& symbols() const noexcept { return symbols_; }

 private:
  [[nodiscard]] std::vector<std::size_t> matches(std::size_t unit, std::string_view name) const;
  [[nodiscard]] std::vector<std::string> visible(std::size_t unit) const;

  const std::vector<ast::Unit>& units_;
  Findings& findings_;
  std::vector<Symbol> symbols_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> by_name_;
  std::vector<std::set<std::size_t>> reach_;  ///< for each unit: itself and what it imports
};

}  // namespace blockyard::sial::detail
