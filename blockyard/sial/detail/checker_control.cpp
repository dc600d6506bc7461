// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "blockyard/base/text.h"
#include "blockyard/sial/detail/checker.h"
#include "blockyard/sial/detail/fragments.h"

namespace blockyard::sial::detail {
namespace {

using program::Policy;

struct Pragma {
  std::string_view name;
  Policy policy;
  bool is_ignored;
};

/// Ours, then those of ACES4.
constexpr std::array<Pragma, 10> pragmas = {{
    {"sequential", Policy::sequential, false},
    {"static", Policy::static_, false},
    {"balanced", Policy::balanced, false},
    {"dynamic", Policy::dynamic, false},
    {"locality", Policy::locality, false},
    {"default_loop_manager", Policy::unset, false},
    {"SequentialPardoLoop", Policy::every_worker, false},
    {"StaticTaskAllocParallelPardoLoop", Policy::static_, false},
    {"BalancedTaskAllocParallelPardoLoop", Policy::balanced, false},
    {"test_pardo_pragma", Policy::unset, true},
}};

bool mentions_index(const checked::Expr& value) {
  if (value.kind == checked::ExprKind::index || value.kind == checked::ExprKind::exists ||
      value.kind == checked::ExprKind::block)
    return true;
  return std::any_of(value.parts.begin(), value.parts.end(), mentions_index);
}

}  // namespace

void Checker::check(const ast::Barrier&) { emit(checked::Barrier{}); }

void Checker::check(const ast::Do& what) {
  const Symbol* symbol = find(what.index, SymbolKind::index);
  checked::Do loop;
  if (symbol != nullptr) {
    loop.index = symbol->id;
    const std::int32_t parent = result_.indexes[static_cast<std::size_t>(symbol->id)].parent;
    if (what.parent)
      check_parent(what.index, *what.parent);
    else if (parent >= 0)
      error("loop-parent", what.index.at, fmt::format("'{}' is a subindex", what.index.text),
            fmt::format("write 'do {} in {}'", what.index.text, list_of({parent})));
  }
  for (const auto& where : what.where) loop.where.push_back(check_where(where, false));
  loops_.push_back(statement_);
  loop.body = check_body(what.body);
  loops_.pop_back();
  if (symbol != nullptr) emit(std::move(loop));
}

void Checker::check_parent(const ast::Name& index, const ast::Name& parent) {
  const Symbol* symbol = find(index, SymbolKind::index);
  const Symbol* over = find(parent, SymbolKind::index);
  if (symbol == nullptr || over == nullptr) return;
  const std::int32_t declared = result_.indexes[static_cast<std::size_t>(symbol->id)].parent;
  if (declared == over->id) return;
  error("loop-parent", parent.at,
        fmt::format("'{}' is not a subindex of '{}'", index.text, parent.text),
        declared < 0 ? fmt::format("declare it: subindex {} of {}", index.text, parent.text)
                     : fmt::format("it is declared as subindex of '{}'", list_of({declared})));
}

void Checker::check(const ast::Pardo& what) {
  checked::Pardo loop;
  bool is_good = true;
  for (const auto& name : what.indexes) {
    const Symbol* symbol = find(name, SymbolKind::index);
    is_good = is_good && symbol != nullptr;
    if (symbol == nullptr) continue;
    if (std::find(loop.indexes.begin(), loop.indexes.end(), symbol->id) != loop.indexes.end())
      error("index-reused", name.at, fmt::format("index '{}' appears twice", name.text),
            "each index of a pardo is given once");
    loop.indexes.push_back(symbol->id);
  }
  for (const auto& name : what.indexes) {
    const Symbol* symbol = names_.peek(unit_, name.text);
    if (symbol == nullptr || symbol->kind != SymbolKind::index) continue;
    const std::int32_t parent = result_.indexes[static_cast<std::size_t>(symbol->id)].parent;
    if (what.parent)
      check_parent(name, *what.parent);
    else if (parent >= 0)
      error("loop-parent", name.at, fmt::format("'{}' is a subindex", name.text),
            fmt::format("write 'pardo {} in {}'", name.text, list_of({parent})));
  }
  if (const auto conditions = fragment_conditions(what)) {
    for (const auto& where : *conditions) loop.where.push_back(check_where(where, true));
  } else {
    loop.policy = policy_of(what);
  }
  for (const auto& where : what.where) loop.where.push_back(check_where(where, true));
  loops_.push_back(statement_);
  loop.body = check_body(what.body);
  loops_.pop_back();
  if (is_good) emit(std::move(loop));
}

program::Policy Checker::policy_of(const ast::Pardo& loop) {
  if (!loop.pragma) return Policy::unset;
  const std::string& text = loop.pragma->text;
  const std::string name = base::lower(text);
  for (const auto& pragma : pragmas) {
    if (base::lower(pragma.name) != name) continue;
    if (!pragma.is_ignored) return pragma.policy;
    break;
  }
  const bool is_of_fragments = name.starts_with("frag") || name.starts_with("wherefrag");
  findings_.warning(
      "unknown-pragma", loop.pragma->at, fmt::format("pragma \"{}\" has no effect", text),
      is_of_fragments
          ? "a policy of fragments has a letter (a, o, v or p) for each index after those "
            "of the fragments, as Frag{ij}{ao}{ao}: six indexes"
          : "known are sequential, static, balanced, dynamic, locality");
  return Policy::unset;
}

checked::Expr Checker::check_where(const ast::Expr& source, bool is_pardo) {
  if (is_pardo) without_brackets_ = "where";
  Expr result = check_condition(source);
  without_brackets_ = {};
  if (result.type != checked::Type::bad && !mentions_index(result))
    findings_.warning("where-without-index", source.at, "this 'where' depends on no index",
                      "it holds for all iterations or for none: use 'if'");
  return result;
}

void Checker::check(const ast::Section& what) {
  for (const auto& statement : what.body)
    if (!std::holds_alternative<ast::Pardo>(statement.what))
      error("section", statement.at, fmt::format("'{}' directly in a section", statement.verb),
            "a section holds only pardos, which may overlap");
  const auto outer = section_;
  section_ = loops_.size();
  checked::Body body = check_body(what.body);
  section_ = outer;
  emit(checked::Section{std::move(body)});
}

void Checker::check(const ast::Gpu& what) { emit(checked::Gpu{check_body(what.body)}); }

void Checker::check(const ast::If& what) {
  checked::If choice;
  for (const auto& branch : what.branches) {
    Expr condition = check_condition(branch.condition);
    choice.branches.push_back({std::move(condition), check_body(branch.body)});
  }
  choice.otherwise = check_body(what.otherwise);
  emit(std::move(choice));
}

void Checker::check(const ast::Call& what) {
  const Symbol* symbol = find(what.proc, SymbolKind::proc);
  if (symbol != nullptr) emit(checked::Call{static_cast<std::size_t>(symbol->id)});
}

void Checker::check(const ast::Leave& what) {
  using checked::LeaveKind;
  const std::string& verb = statement_->verb;
  if (verb == "stop") return emit(checked::Leave{LeaveKind::stop, 0});
  if (verb == "return") {
    if (!is_in_proc_)
      return error("misplaced-return", statement_->at, "'return' outside of a procedure",
                   "the program ends at its last line; 'stop' ends the job with an error");
    if (section_)
      return error("leaves-section", statement_->at, "'return' out of a section",
                   "all workers must reach endsection: 'exit' leaves the pardo");
    return emit(checked::Leave{LeaveKind::return_, loops_.size()});
  }
  if (loops_.empty())
    return error("misplaced-exit", statement_->at, fmt::format("'{}' outside of a loop", verb),
                 is_in_proc_ ? "'return' leaves a procedure" : "'stop' ends the job");
  std::size_t count = 1;
  if (what.index) {
    if (find(*what.index, SymbolKind::index) == nullptr) return;
    const auto has_index = [&](const ast::Statement* loop) {
      if (const auto* one = std::get_if<ast::Do>(&loop->what))
        return one->index.text == what.index->text;
      const auto& names = std::get<ast::Pardo>(loop->what).indexes;
      return std::any_of(names.begin(), names.end(),
                         [&](const ast::Name& name) { return name.text == what.index->text; });
    };
    const auto found = std::find_if(loops_.rbegin(), loops_.rend(), has_index);
    if (found == loops_.rend())
      return error("misplaced-exit", what.index->at,
                   fmt::format("'{} {}' is not in a loop over '{}'", verb, what.index->text,
                               what.index->text),
                   "name the index of a loop around it, or none for the innermost");
    count = static_cast<std::size_t>(found - loops_.rbegin()) + 1;
  }
  if (section_ && loops_.size() - count < *section_)
    return error("leaves-section", statement_->at, fmt::format("'{}' out of a section", verb),
                 "all workers must reach endsection: leave the pardo, and then the loop around");
  emit(checked::Leave{verb == "cycle" ? LeaveKind::cycle : LeaveKind::exit, count});
}

}  // namespace blockyard::sial::detail
