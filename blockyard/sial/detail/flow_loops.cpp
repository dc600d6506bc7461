// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/detail/flow.h"

namespace blockyard::sial::detail {
namespace {

void mark_calls(checked::Unit& unit, const checked::Body& body);

struct Marker {
  checked::Unit& unit;
  void operator()(const checked::Call& call) const {
    auto& proc = unit.procs[call.proc];
    if (proc.is_reachable) return;
    proc.is_reachable = true;
    mark_calls(unit, proc.body);
  }
  void operator()(const checked::If& choice) const {
    for (const auto& branch : choice.branches) mark_calls(unit, branch.body);
    mark_calls(unit, choice.otherwise);
  }
  void operator()(const auto& other) const {
    if constexpr (requires { other.body; }) mark_calls(unit, other.body);
  }
};

void mark_calls(checked::Unit& unit, const checked::Body& body) {
  for (const auto& statement : body) std::visit(Marker{unit}, statement.what);
}

}  // namespace

void check_loops(checked::Unit& unit, Findings&) { mark_calls(unit, unit.body); }

void check_data_flow(const checked::Unit&, Findings&) {}

}  // namespace blockyard::sial::detail
