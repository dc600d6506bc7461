// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>
#include <utility>

#include "blockyard/program/detail/rules.h"

namespace blockyard::program::detail {
namespace {

/// The needs and effects of a routine and its callees.
class Calls {
 public:
  Calls(const Program& program, Flow flow) : p_(program), flow_(std::move(flow)) {}

  void verify() {
    spread();
    for (const Routine& routine : flow_.routines)
      for (const Call& call : routine.calls) {
        if (!flow_.is_in_pardo(call.open)) continue;
        const Routine& callee = flow_.routines[call.callee];
        if (callee.pardo != -1) bad(call, "a proc called within a pardo has a pardo");
        if (callee.barrier != -1) bad(call, "a proc called within a pardo has a barrier");
      }
    const auto& unbound = flow_.routines[0].needs;
    if (!unbound.empty())
      refuse(fmt::format("index '{}' is used where no loop binds it",
                         entry(p_.indexes, *unbound.begin()).name));
  }

 private:
  /// Carries what callees need and do to their callers, until nothing changes. A routine is looked
  /// at again only when a callee of it has grown, and can grow once for each index and two more.
  void spread() {
    std::vector<std::vector<std::size_t>> callers(flow_.routines.size());
    for (std::size_t r = 0; r < flow_.routines.size(); ++r)
      for (const Call& call : flow_.routines[r].calls) callers[call.callee].push_back(r);
    std::set<std::size_t> pending;
    for (std::size_t r = 0; r < flow_.routines.size(); ++r) pending.insert(r);
    while (!pending.empty()) {
      const std::size_t r = *pending.begin();
      pending.erase(pending.begin());
      if (grow(r)) pending.insert(callers[r].begin(), callers[r].end());
    }
  }

  bool grow(std::size_t r) {
    Routine& routine = flow_.routines[r];
    bool has_grown = false;
    for (const Call& call : routine.calls) {
      const Routine& callee = flow_.routines[call.callee];
      for (auto [mine, theirs] :
           {std::pair(&routine.pardo, callee.pardo), std::pair(&routine.barrier, callee.barrier)})
        if (*mine == -1 && theirs != -1) {
          *mine = call.pc;
          has_grown = true;
        }
      for (const auto index : callee.needs)
        if (!flow_.binds(p_, call.open, index)) has_grown |= routine.needs.insert(index).second;
    }
    return has_grown;
  }

  [[noreturn]] void bad(const Call& call, std::string_view what) const {
    refuse_at(p_, static_cast<std::size_t>(call.pc), what);
  }

  const Program& p_;
  Flow flow_;
};

}  // namespace

void verify_calls(const Program& program, Flow flow) { Calls(program, std::move(flow)).verify(); }

}  // namespace blockyard::program::detail
