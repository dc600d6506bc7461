// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/detail/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "blockyard/base/text.h"
#include "blockyard/sial/detail/foreign.h"

namespace blockyard::sial::detail {

std::string_view name_of(SymbolKind kind) noexcept {
  constexpr std::array<std::string_view, 6> names = {
      "int", "scalar", "index", "array", "super instruction", "procedure"};
  return names[static_cast<std::size_t>(kind)];
}

std::string with_article(std::string_view noun) {
  const bool has_vowel =
      !noun.empty() && std::string_view("aeiou").find(noun.front()) != std::string_view::npos;
  return fmt::format("{} {}", has_vowel ? "an" : "a", noun);
}

Names::Names(const std::vector<ast::Unit>& units, Findings& findings)
    : units_(units), findings_(findings), reach_(units.size()) {
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    std::vector<std::size_t> open = {unit};
    while (!open.empty()) {
      const std::size_t next = open.back();
      open.pop_back();
      if (!reach_[unit].insert(next).second) continue;
      for (const std::size_t other : units[next].imported) open.push_back(other);
    }
  }
}

bool Names::declare(std::size_t unit, SymbolKind kind, std::int32_t id, const ast::Name& name) {
  if (name.text.empty()) return false;
  if (name.text.find('.') != std::string::npos) {
    findings_.error("dotted-name", name.at, fmt::format("cannot declare '{}'", name.text),
                    "a dot stands only between a program and its name, as in prog.x");
    return false;
  }
  if (name.text == units_[unit].name.text) {
    findings_.error("duplicate-name", name.at,
                    fmt::format("'{}' is already the name of the program", name.text),
                    "choose another name");
    return false;
  }
  const auto earlier = matches(unit, name.text);
  const auto is_other = [&](std::size_t symbol) {
    const Symbol& s = symbols_[symbol];
    return s.unit == unit || s.kind != kind || s.id != id;
  };
  const auto clash = std::find_if(earlier.begin(), earlier.end(), is_other);
  if (clash != earlier.end()) {
    const Symbol& first = symbols_[*clash];
    findings_.error("duplicate-name", name.at, fmt::format("'{}' is declared twice", name.text),
                    fmt::format("it is {} declared at {}", with_article(name_of(first.kind)),
                                findings_.describe(first.at)));
    return false;
  }
  by_name_[name.text].push_back(symbols_.size());
  symbols_.push_back({kind, id, name.text, name.at, unit, false});
  return true;
}

std::vector<std::size_t> Names::matches(std::size_t unit, std::string_view name) const {
  std::string_view owner;
  if (const auto dot = name.rfind('.'); dot != std::string_view::npos) {
    owner = name.substr(0, dot);
    name = name.substr(dot + 1);
  }
  std::vector<std::size_t> result;
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return result;
  for (const std::size_t symbol : found->second) {
    const std::size_t home = symbols_[symbol].unit;
    if (!reach_[unit].contains(home) || (!owner.empty() && units_[home].name.text != owner))
      continue;
    const auto is_same = [&](std::size_t other) {
      return symbols_[other].kind == symbols_[symbol].kind &&
             symbols_[other].id == symbols_[symbol].id;
    };
    if (std::none_of(result.begin(), result.end(), is_same)) result.push_back(symbol);
  }
  return result;
}

std::vector<std::string> Names::visible(std::size_t unit) const {
  std::vector<std::string> result;
  for (const auto& symbol : symbols_)
    if (reach_[unit].contains(symbol.unit)) result.push_back(symbol.name);
  return result;
}

const Symbol* Names::peek(std::size_t unit, std::string_view name) const {
  const auto found = matches(unit, name);
  return found.size() == 1 ? &symbols_[found.front()] : nullptr;
}

Symbol* Names::find(std::size_t unit, const ast::Name& name, std::string_view wanted) {
  if (name.text.empty()) return nullptr;
  const auto found = matches(unit, name.text);
  if (found.size() == 1) {
    Symbol& symbol = symbols_[found.front()];
    symbol.is_used = true;
    // So is the unit's own declaration of the same, such as a predefined int that an import has
    // too.
    for (const std::size_t other : by_name_[symbol.name])
      if (symbols_[other].unit == unit && symbols_[other].kind == symbol.kind &&
          symbols_[other].id == symbol.id)
        symbols_[other].is_used = true;
    return &symbol;
  }
  if (found.empty()) {
    // A hint costs a pass over all names: only the first ones get it, so that no input is slow.
    const std::string near =
        findings_.error_count() < 50 ? base::nearest_name(name.text, visible(unit)) : std::string();
    const std::string_view hint = wanted == "array" ? hint_for_function(name.text) : "";
    findings_.error("undeclared-name", name.at,
                    fmt::format("{} '{}' is not declared", wanted, name.text),
                    !near.empty()  ? fmt::format("did you mean '{}'?", near)
                    : hint.empty() ? "declare it before the first statement"
                                   : std::string(hint));
    return nullptr;
  }
  const Symbol& first = symbols_[found[0]];
  const Symbol& second = symbols_[found[1]];
  if (units_[first.unit].name.text == units_[second.unit].name.text) {
    findings_.error("duplicate-unit", name.at,
                    fmt::format("two imported files are named '{}', and both declare '{}'",
                                units_[first.unit].name.text, first.name),
                    "give one of them another name after 'sial'");
    return nullptr;
  }
  findings_.error("ambiguous-name", name.at,
                  fmt::format("'{}' is declared in more than one import", name.text),
                  fmt::format("write {0}.{2} ({3}) or {1}.{2} ({4})", units_[first.unit].name.text,
                              units_[second.unit].name.text, first.name,
                              findings_.describe(first.at), findings_.describe(second.at)));
  return nullptr;
}

}  // namespace blockyard::sial::detail
