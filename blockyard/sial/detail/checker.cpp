// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/detail/checker.h"

#include <fmt/format.h>

#include "blockyard/sial/check.h"
#include "blockyard/sial/detail/flow.h"

namespace blockyard::sial {

checked::Unit check(const std::vector<ast::Unit>& units, Findings& findings) {
  checked::Unit unit = detail::Checker(units, findings).run();
  // Flow only means something where names and types are right.
  if (!findings.has_error()) detail::check_loops(unit, findings);
  if (!findings.has_error()) detail::check_data_flow(unit, findings);
  if (!findings.has_error()) detail::check_workers(unit, findings);
  return unit;
}

namespace detail {

Checker::Checker(const std::vector<ast::Unit>& units, Findings& findings)
    : units_(units), findings_(findings), names_(units, findings) {}

checked::Unit Checker::run() {
  result_.name = units_.front().name.text;
  for (const auto& source : findings_.sources()) result_.files.push_back(source.path);
  declare_all();
  std::size_t proc = 0;
  // Units are numbered from the program to its imports; procs were declared in the same order
  // as here.
  for (unit_ = units_.size(); unit_-- > 0;) {
    for (const auto& source : units_[unit_].procs) {
      is_in_proc_ = true;
      checked::Body body = check_body(source.body);
      result_.procs.at(proc++).body = std::move(body);
    }
    is_in_proc_ = false;
    if (unit_ == 0) {
      result_.body = check_body(units_[0].body);
    } else if (!units_[unit_].body.empty()) {
      error("import-with-statements", units_[unit_].body.front().at,
            "a statement in an imported file",
            "an imported file holds only declarations and procedures: put it into a proc");
    }
    if (unit_ == 0) break;
  }
  warn_unused();
  if (!findings_.has_error()) qualify_names();
  return std::move(result_);
}

/// Data of two imports may have one name: in the program each has that of its unit in front, but
/// for predefined data, which the job gives by name.
void Checker::qualify_names() {
  using Data = std::pair<SymbolKind, std::int32_t>;
  std::map<std::string, std::set<Data>> by_name;
  for (const auto& symbol : names_.symbols())
    if (symbol.kind != SymbolKind::special && symbol.kind != SymbolKind::proc)
      by_name[symbol.name].emplace(symbol.kind, symbol.id);
  std::map<std::string, Data> taken;
  for (const auto& symbol : names_.symbols()) {
    const auto found = by_name.find(symbol.name);
    if (found == by_name.end() || found->second.size() < 2) continue;
    const auto qualify = [&](auto& entry) {
      const std::string& owner = units_[symbol.unit].name.text;
      bool is_whole = false;
      if constexpr (requires { entry.is_predefined; }) is_whole = entry.is_predefined;
      if (!is_whole) entry.name = fmt::format("{}.{}", owner, symbol.name);
      const Data data{symbol.kind, symbol.id};
      if (const auto known = taken.emplace(entry.name, data); known.first->second == data) return;
      if (is_whole)
        error("predefined-differs", symbol.at,
              fmt::format("the predefined '{}' is something else in another file", symbol.name),
              "the job gives one value of that name");
      else
        error("duplicate-unit", symbol.at,
              fmt::format("two imported files are named '{}', and both declare '{}'", owner,
                          symbol.name),
              "give one of them another name after 'sial'");
    };
    const auto id = static_cast<std::size_t>(symbol.id);
    if (symbol.kind == SymbolKind::int_) qualify(result_.ints[id]);
    if (symbol.kind == SymbolKind::scalar) qualify(result_.scalars[id]);
    if (symbol.kind == SymbolKind::index) qualify(result_.indexes[id]);
    if (symbol.kind == SymbolKind::array) qualify(result_.arrays[id]);
  }
}

/// A file that others import is a library, and so is one without statements: unused names of
/// it are not findings.
void Checker::warn_unused() {
  if (units_.front().body.empty()) return;
  for (const auto& symbol : names_.symbols())
    if (symbol.unit == 0 && !symbol.is_used)
      findings_.warning("unused-name", symbol.at,
                        fmt::format("{} '{}' is never used", name_of(symbol.kind), symbol.name),
                        "remove its declaration");
}

Symbol* Checker::find(const ast::Name& name, SymbolKind kind) {
  Symbol* symbol = names_.find(unit_, name, name_of(kind));
  if (symbol == nullptr) return nullptr;
  if (symbol->kind != kind) {
    error("wrong-kind-of-name", name.at,
          fmt::format("'{}' is not {}", name.text, with_article(name_of(kind))),
          fmt::format("it is {} declared at {}", with_article(name_of(symbol->kind)),
                      findings_.describe(symbol->at)));
    return nullptr;
  }
  return symbol;
}

const program::ArrayDecl& Checker::array_of(const Block& block) const {
  return result_.arrays[static_cast<std::size_t>(block.selector.array)];
}

bool Checker::is_simple(std::int32_t index) const {
  return result_.indexes[static_cast<std::size_t>(index)].kind == array::IndexKind::simple;
}

std::string Checker::list_of(const Indexes& indexes) const {
  std::string result;
  for (const auto index : indexes)
    result += (result.empty() ? "" : ",") +
              (index < 0 ? "*" : result_.indexes[static_cast<std::size_t>(index)].name);
  return result;
}

checked::Body Checker::check_body(const ast::Body& body) {
  checked::Body result;
  checked::Body* const outer = out_;
  const ast::Statement* const outer_statement = statement_;
  out_ = &result;
  for (const auto& statement : body) {
    statement_ = &statement;
    std::visit([this](const auto& what) { check(what); }, statement.what);
    out_ = &result;
  }
  out_ = outer;
  statement_ = outer_statement;
  return result;
}

}  // namespace detail
}  // namespace blockyard::sial
