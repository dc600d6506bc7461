// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>

#include "blockyard/sial/detail/flow.h"

namespace blockyard::sial::detail {
namespace {

using checked::Expr;

/// Scalars that a pardo leaves different on each worker: each has what its own iterations gave it.
/// Calls are followed as if the procedure stood in their place, up to a limit of statements.
class WorkerFlow {
 public:
  WorkerFlow(const checked::Unit& unit, Findings& findings) : unit_(unit), findings_(findings) {}

  void run() { walk(unit_.body); }

 private:
  static constexpr int most_statements = 100'000;

  /// Scalar to the pardo, or the statement after one, that made it differ.
  using Differing = std::map<std::int32_t, Place>;

  void walk(const checked::Body& body) {
    for (const auto& statement : body) {
      if (++statements_ > most_statements) return;
      at_ = statement.at;
      std::visit([this](const auto& what) { step(what); }, statement.what);
    }
  }

  void step(const checked::Do& what) { walk(what.body); }
  void step(const checked::Section& what) { walk(what.body); }
  void step(const checked::Gpu& what) { walk(what.body); }
  void step(const checked::Pardo& what) {
    const bool is_shared =
        what.policy != program::Policy::sequential && what.policy != program::Policy::every_worker;
    const std::optional<Place> outer = pardo_;
    if (is_shared) pardo_ = at_;
    walk(what.body);
    pardo_ = outer;
  }
  void step(const checked::If& what) {
    const Differing before = differing_;
    Differing after = before;
    for (const auto& branch : what.branches) {
      differing_ = before;
      ask(branch.condition, "decides here");
      walk(branch.body);
      after.insert(differing_.begin(), differing_.end());
    }
    differing_ = before;
    walk(what.otherwise);
    differing_.insert(after.begin(), after.end());
  }
  void step(const checked::Call& what) {
    if (!open_.insert(what.proc).second) return;
    const Place at = at_;
    walk(unit_.procs[what.proc].body);
    at_ = at;
    open_.erase(what.proc);
  }
  void step(const checked::StoreScalar& what) {
    if (pardo_) {
      differing_.emplace(what.id, *pardo_);
    } else if (const auto source = source_of(what.value)) {
      differing_.emplace(what.id, differing_.at(*source));
    } else if (what.mode == program::Mode::set) {
      differing_.erase(what.id);
    }
  }
  void step(const checked::AssertSame& what) { differing_.erase(what.scalar); }
  void step(const checked::Persist& what) {
    if (!what.is_array && what.is_restore) differing_.erase(what.id);
    if (!what.is_array && !what.is_restore) tell(what.id, "is kept here");
  }
  void step(const checked::Print& what) {
    if (what.kind == checked::PrintKind::scalar) tell(what.id, "is printed here");
    for (const Expr& value : what.value) ask(value, "is printed here");
  }
  void step(const auto&) {}

  /// A scalar in the value that differs; none if there is none.
  [[nodiscard]] std::optional<std::int32_t> source_of(const Expr& value) const {
    if (value.kind == checked::ExprKind::scalar && differing_.contains(value.id)) return value.id;
    for (const Expr& part : value.parts)
      if (const auto found = source_of(part)) return found;
    return std::nullopt;
  }

  void ask(const Expr& value, std::string_view what) {
    if (const auto source = source_of(value)) tell(*source, what);
  }

  void tell(std::int32_t scalar, std::string_view what) {
    const auto found = differing_.find(scalar);
    if (pardo_ || found == differing_.end() || !told_.insert(scalar).second) return;
    const std::string& name = unit_.scalars[static_cast<std::size_t>(scalar)].name;
    findings_.warning(
        "differs-by-worker", at_,
        fmt::format("'{}' {}, but each worker has another value of it", name, what),
        fmt::format("the pardo at {} gives each worker its own part: sum the parts with "
                    "'collective sum += {}'",
                    findings_.describe(found->second), name));
  }

  const checked::Unit& unit_;
  Findings& findings_;
  Differing differing_;
  std::optional<Place> pardo_;  ///< the open pardo
  std::set<std::size_t> open_;  ///< procedures that are being followed
  std::set<std::int32_t> told_;
  Place at_;
  int statements_ = 0;
};

}  // namespace

void check_workers(const checked::Unit& unit, Findings& findings) {
  WorkerFlow(unit, findings).run();
}

}  // namespace blockyard::sial::detail
