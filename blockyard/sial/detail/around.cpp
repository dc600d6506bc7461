// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/detail/around.h"

#include <algorithm>

namespace blockyard::sial::detail {

using checked::ExprKind;
using program::Relation;

void Around::return_to(const Mark& mark) {
  loops_.resize(mark.loops);
  equal_.resize(mark.equal);
  apart_.resize(mark.apart);
}

void Around::learn(const checked::Expr& condition) {
  if (condition.kind == ExprKind::all)
    for (const checked::Expr& part : condition.parts) learn(part);
  if (condition.kind != ExprKind::relation || condition.parts.size() != 2) return;
  const checked::Expr& a = condition.parts[0];
  const checked::Expr& b = condition.parts[1];
  if (a.kind != ExprKind::index || b.kind != ExprKind::index || a.id == b.id) return;
  if (condition.relation == Relation::equal)
    equal_.push_back({std::max(a.id, b.id), std::min(a.id, b.id)});
  else if (condition.relation != Relation::less_equal &&
           condition.relation != Relation::greater_equal)
    apart_.push_back({a.id, b.id});
}

std::uint32_t Around::loop_of(std::int32_t index) const {
  const auto found = std::find_if(loops_.rbegin(), loops_.rend(),
                                  [&](const Loop& loop) { return loop.index == index; });
  return found == loops_.rend() ? 0 : found->number;
}

bool Around::are_apart(std::int32_t a, std::int32_t b) const {
  return std::ranges::any_of(apart_, [&](const Pair& pair) {
    return (pair.a == a && pair.b == b) || (pair.a == b && pair.b == a);
  });
}

std::int32_t Around::equal_to(std::int32_t index) const {
  // Each pair leads to a smaller index: as many passes as there are pairs are enough.
  for (std::size_t pass = 0; pass < equal_.size(); ++pass)
    for (const Pair& pair : equal_)
      if (pair.a == index) index = pair.b;
  return index;
}

}  // namespace blockyard::sial::detail
