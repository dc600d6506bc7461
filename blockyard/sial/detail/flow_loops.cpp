// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "blockyard/sial/detail/flow.h"
#include "blockyard/sial/detail/uses.h"

namespace blockyard::sial::detail {
namespace {

using checked::Statement;
using IndexSet = std::set<std::int32_t>;

struct CallSite {
  std::size_t proc = 0;
  IndexSet bound;
  bool is_in_pardo = false;
  Place at;
};

/// The facts a caller of a procedure needs; of the program itself only `calls` counts.
struct Summary {
  std::map<std::int32_t, Place> needs;  ///< indexes used without a loop around, and where
  IndexSet binds;                       ///< indexes of its loops
  std::optional<Place> pardo;           ///< the first pardo in it
  std::optional<Place> barrier;         ///< the first barrier in it
  std::vector<CallSite> calls;
};

class LoopCheck {
 public:
  LoopCheck(const checked::Unit& unit, Findings& findings) : unit_(unit), findings_(findings) {}

  void run(const Calls& calls) {
    std::vector<Summary> procs(unit_.procs.size());
    for (std::size_t k = 0; k < unit_.procs.size(); ++k) {
      is_program_ = false;
      procs[k] = summarise(unit_.procs[k].body);
    }
    is_program_ = true;
    Summary program = summarise(unit_.body);
    // Twice: a recursive call sees what the first pass found out.
    for (int pass = 0; pass < 2; ++pass)
      for (const std::size_t k : calls.bottom_up) inherit(procs[k], procs);
    for (const std::size_t k : calls.bottom_up)
      for (const auto& call : procs[k].calls) check_call(call, procs[call.proc], false);
    for (const auto& call : program.calls) check_call(call, procs[call.proc], true);
  }

 private:
  Summary summarise(const checked::Body& body) {
    summary_ = Summary();
    bound_.clear();
    pardo_.reset();
    walk(body);
    return std::move(summary_);
  }

  void walk(const checked::Body& body) {
    for (const auto& statement : body) {
      at_ = statement.at;
      if (std::holds_alternative<checked::Do>(statement.what) ||
          std::holds_alternative<checked::Pardo>(statement.what)) {
        enter(statement);
        continue;
      }
      for (const auto& use : uses_of(unit_, statement)) need(use);
      std::visit([this](const auto& what) { step(what); }, statement.what);
    }
  }

  void step(const checked::Section& what) {
    if (!pardo_) summary_.barrier = summary_.barrier ? summary_.barrier : at_;
    // One that is not empty has pardos: they are told of.
    if (pardo_ && what.body.empty())
      findings_.error("barrier-in-pardo", at_, "a section inside of a pardo",
                      fmt::format("its end is a barrier: move it after the endpardo of the one at "
                                  "{}",
                                  findings_.describe(*pardo_)));
    ++depth_;
    walk(what.body);
    --depth_;
  }
  void step(const checked::Gpu& what) { walk(what.body); }
  void step(const checked::If& what) {
    for (const auto& branch : what.branches) walk(branch.body);
    walk(what.otherwise);
  }
  void step(const checked::Call& what) {
    summary_.calls.push_back(
        {what.proc, IndexSet(bound_.begin(), bound_.end()), pardo_.has_value(), at_});
  }
  void step(const checked::Barrier&) {
    if (!summary_.barrier) summary_.barrier = at_;
    if (pardo_)
      findings_.error("barrier-in-pardo", at_, "a barrier inside of a pardo",
                      fmt::format("workers do different iterations of the pardo at {} and would "
                                  "wait for ever: move it after endpardo",
                                  findings_.describe(*pardo_)));
  }
  void step(const checked::ArrayWide& what) {
    if (pardo_ && !what.is_removal)
      findings_.error("create-in-pardo", at_, "'create' inside of a pardo",
                      "all workers create an array together: move it before the pardo");
  }
  void step(const checked::Collective&) {
    if (pardo_)
      findings_.warning("collective-in-pardo", at_, "'collective' inside of a pardo",
                        "all workers must reach it equally often: sum into a scalar here, and "
                        "collect it after endpardo");
  }
  void step(const auto&) {}

  void enter(const Statement& statement) {
    const auto* loop = std::get_if<checked::Do>(&statement.what);
    const auto* pardo = std::get_if<checked::Pardo>(&statement.what);
    const Place at = statement.at;
    if (pardo != nullptr) {
      if (pardo_)
        findings_.error("nested-pardo", at, "a pardo inside of a pardo",
                        fmt::format("the outer one is at {}; make one of them a do",
                                    findings_.describe(*pardo_)));
      if (!summary_.pardo) summary_.pardo = at;
    }
    if (++depth_ == program::max_loops + 1)
      findings_.error("too-many-loops", at,
                      fmt::format("more than {} loops in each other", program::max_loops),
                      "make a procedure of the inner ones");
    const std::vector<std::int32_t> indexes =
        pardo != nullptr ? pardo->indexes : std::vector<std::int32_t>{loop->index};
    for (const auto index : indexes) bind(index, at);
    for (const auto& use : uses_of(unit_, statement)) need(use);
    const auto outer_pardo = pardo_;
    if (pardo != nullptr) pardo_ = at;
    walk(pardo != nullptr ? pardo->body : loop->body);
    pardo_ = outer_pardo;
    bound_.resize(bound_.size() - indexes.size());
    --depth_;
  }

  void bind(std::int32_t index, Place at) {
    const std::int32_t parent = entry(index).parent;
    if (parent >= 0) need({nullptr, parent, Access::read, at});
    if (std::find(bound_.begin(), bound_.end(), index) != bound_.end())
      findings_.error(
          "index-reused", at,
          fmt::format("a loop over '{0}' inside of a loop over '{0}'", entry(index).name),
          "declare another index of the same kind and range");
    bound_.push_back(index);
    summary_.binds.insert(index);
  }

  void need(const Use& use) {
    if (use.block == nullptr) return need(use.index, use.at);
    if (use.block->selector.form == program::SelectorForm::whole) return;
    for (const auto index : use.block->selector.indexes)
      if (index >= 0) need(index, use.at);
  }

  void need(std::int32_t index, Place at) {
    if (std::find(bound_.begin(), bound_.end(), index) != bound_.end()) return;
    summary_.needs.emplace(index, at);
    if (is_program_)
      findings_.error(
          "index-not-bound", at, fmt::format("index '{}' has no value here", entry(index).name),
          fmt::format("only inside of a do or pardo over '{}' it has one", entry(index).name));
  }

  static void inherit(Summary& proc, const std::vector<Summary>& procs) {
    for (const auto& call : proc.calls) {
      const Summary& callee = procs[call.proc];
      if (&callee == &proc) continue;
      for (const auto& [index, at] : callee.needs)
        if (!call.bound.contains(index)) proc.needs.emplace(index, at);
      proc.binds.insert(callee.binds.begin(), callee.binds.end());
      if (!proc.pardo) proc.pardo = callee.pardo;
      if (!proc.barrier) proc.barrier = callee.barrier;
    }
  }

  void check_call(const CallSite& call, const Summary& callee, bool is_program) {
    const std::string& name = unit_.procs[call.proc].name;
    if (is_program)
      for (const auto& [index, at] : callee.needs)
        if (!call.bound.contains(index))
          findings_.error(
              "index-not-bound", call.at,
              fmt::format("'{}' uses index '{}', which has no value here", name, entry(index).name),
              fmt::format("it is used at {}: call it inside of a do or pardo over '{}'",
                          findings_.describe(at), entry(index).name));
    for (const auto index : callee.binds)
      if (call.bound.contains(index))
        findings_.warning(
            "index-reused", call.at,
            fmt::format("'{}' has a loop over '{}', which is in use here", name, entry(index).name),
            "use another index of the same kind and range in one of them");
    if (call.is_in_pardo && callee.pardo)
      findings_.error("nested-pardo", call.at,
                      fmt::format("'{}' has a pardo and is called inside of a pardo", name),
                      fmt::format("its pardo is at {}", findings_.describe(*callee.pardo)));
    if (call.is_in_pardo && callee.barrier)
      findings_.error("barrier-in-pardo", call.at,
                      fmt::format("'{}' has a barrier and is called inside of a pardo", name),
                      fmt::format("its barrier is at {}", findings_.describe(*callee.barrier)));
  }

  [[nodiscard]] const program::IndexDecl& entry(std::int32_t index) const {
    return unit_.indexes[static_cast<std::size_t>(index)];
  }

  const checked::Unit& unit_;
  Findings& findings_;
  Summary summary_;
  std::vector<std::int32_t> bound_;  ///< indexes of the open loops
  std::optional<Place> pardo_;       ///< the open pardo
  std::size_t depth_ = 0;            ///< open loops and sections
  Place at_;
  bool is_program_ = false;
};

}  // namespace

void check_loops(checked::Unit& unit, Findings& findings) {
  const Calls calls = calls_of(unit);
  for (const std::size_t k : calls.bottom_up) unit.procs[k].is_reachable = true;
  LoopCheck(unit, findings).run(calls);
}

}  // namespace blockyard::sial::detail
