// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/detail/uses.h"

#include <algorithm>

namespace blockyard::sial::detail {
namespace {

using checked::Block;
using checked::Expr;
using checked::Term;
using program::Mode;

struct Uses {
  const checked::Unit* unit;
  std::vector<Use> found = {};

  void value(const Expr& expr) {
    if (expr.kind == checked::ExprKind::index)
      found.push_back({nullptr, expr.id, Access::read, expr.at});
    for (const auto& part : expr.parts) value(part);
    const bool is_question = expr.kind == checked::ExprKind::exists;
    for (const auto& read : expr.blocks) block(read, is_question ? Access::ask : Access::read);
    for (const auto& part : expr.terms) term(part);
  }
  void block(const Block& block, Access access) {
    for (const auto& end : block.ranges) value(end);
    found.push_back({&block, -1, access, block.at});
  }
  void term(const Term& term) {
    for (const auto& factor : term.factor) value(factor);
    for (const auto& operand : term.operands) {
      if (operand.sum.empty()) block(operand.block, Access::read);
      for (const auto& inner : operand.sum) this->term(inner);
    }
  }
  void target(const Block& target, Mode mode) {
    block(target, mode == Mode::set ? Access::write : Access::update);
  }

  void operator()(const checked::Do& what) {
    for (const auto& where : what.where) value(where);
  }
  void operator()(const checked::Pardo& what) {
    for (const auto& where : what.where) value(where);
  }
  void operator()(const checked::If& what) {
    for (const auto& branch : what.branches) value(branch.condition);
  }
  void operator()(const checked::StoreInt& what) { value(what.value); }
  void operator()(const checked::StoreScalar& what) { value(what.value); }
  void operator()(const checked::Fill& what) {
    value(what.value);
    target(what.target, what.mode);
  }
  void operator()(const checked::Update& what) {
    for (const auto& part : what.terms) term(part);
    target(what.target, what.mode);
  }
  void operator()(const checked::Get& what) { block(what.block, Access::write); }
  void operator()(const checked::Put& what) {
    for (const auto& part : what.terms) term(part);
    target(what.target, what.mode);
  }
  void operator()(const checked::PutScalar& what) {
    value(what.value);
    target(what.target, what.mode);
  }
  void operator()(const checked::Allocate& what) { block(what.blocks, Access::write); }
  void operator()(const checked::Execute& what) {
    const std::string& signature = unit->specials[static_cast<std::size_t>(what.special)].signature;
    for (std::size_t k = 0; k < what.arguments.size(); ++k)
      for (const auto& argument : what.arguments[k].block) {
        const char intent = k < signature.size() ? signature[k] : 'w';
        block(argument, intent == 'r'   ? Access::read
                        : intent == 'u' ? Access::update
                                        : Access::write);
      }
  }
  void operator()(const checked::Collective& what) { value(what.value); }
  void operator()(const checked::Broadcast& what) { value(what.worker); }
  void operator()(const checked::Print& what) {
    if (what.kind == checked::PrintKind::index)
      found.push_back({nullptr, what.id, Access::read, at});
    for (const auto& printed : what.value) value(printed);
    for (const auto& printed : what.block) block(printed, Access::read);
  }
  void operator()(const auto&) {}

  Place at = {};
};

void collect_calls(const checked::Body& body, std::vector<std::size_t>& callees) {
  for (const auto& statement : body) {
    if (const auto* call = std::get_if<checked::Call>(&statement.what)) {
      callees.push_back(call->proc);
    } else if (const auto* choice = std::get_if<checked::If>(&statement.what)) {
      for (const auto& branch : choice->branches) collect_calls(branch.body, callees);
      collect_calls(choice->otherwise, callees);
    } else {
      std::visit(
          [&](const auto& what) {
            if constexpr (requires { what.body; }) collect_calls(what.body, callees);
          },
          statement.what);
    }
  }
}

}  // namespace

std::vector<Use> uses_of(const checked::Unit& unit, const checked::Statement& statement) {
  Uses uses{&unit};
  uses.at = statement.at;
  std::visit(uses, statement.what);
  return std::move(uses.found);
}

std::vector<Use> uses_of(const std::vector<checked::Expr>& values) {
  Uses uses{nullptr};
  for (const auto& value : values) uses.value(value);
  return std::move(uses.found);
}

Calls calls_of(const checked::Unit& unit) {
  Calls result;
  result.callees.resize(unit.procs.size());
  for (std::size_t k = 0; k < unit.procs.size(); ++k)
    collect_calls(unit.procs[k].body, result.callees[k]);
  std::vector<std::size_t> roots;
  collect_calls(unit.body, roots);
  // Depth first with a stack of its own: a chain of calls may be as long as the program.
  std::vector<bool> is_seen(unit.procs.size(), false);
  std::vector<std::pair<std::size_t, std::size_t>> open;
  for (const std::size_t root : roots) {
    if (!is_seen[root]) open.emplace_back(root, 0);
    is_seen[root] = true;
    while (!open.empty()) {
      auto& [proc, next] = open.back();
      if (next == result.callees[proc].size()) {
        result.bottom_up.push_back(proc);
        open.pop_back();
        continue;
      }
      const std::size_t callee = result.callees[proc][next++];
      if (is_seen[callee]) continue;
      is_seen[callee] = true;
      open.emplace_back(callee, 0);
    }
  }
  return result;
}

}  // namespace blockyard::sial::detail
