// SPDX-License-Identifier: Apache-2.0
#include "blockyard/server/race_rule.h"

#include <span>

namespace blockyard::server {
namespace {

constexpr std::array all_verbs{Verb::get, Verb::put, Verb::accumulate};

bool is_same(const wire::Access& a, const wire::Access& b, Identity identity) {
  return a.worker == b.worker && (identity == Identity::worker || a.iteration == b.iteration);
}

bool may_meet(Verb a, Verb b) { return a == b && a != Verb::put; }

}  // namespace

std::string_view text_of(Verb verb) noexcept {
  switch (verb) {
    case Verb::get:
      return "get";
    case Verb::put:
      return "put";
    case Verb::accumulate:
      return "put +=";
  }
  return "";
}

std::optional<Clash> RaceRecord::meet(Verb verb, const wire::Access& access, Identity identity) {
  if (access.epoch < epoch_) return std::nullopt;
  if (access.epoch > epoch_) *this = RaceRecord();
  epoch_ = access.epoch;
  for (const Verb other : all_verbs) {
    if (may_meet(verb, other)) continue;
    const Hands& hands = hands_[static_cast<std::size_t>(other)];
    for (const wire::Access& earlier : std::span(hands.accesses).first(hands.count))
      if (!is_same(earlier, access, identity)) return Clash{earlier, other};
  }
  Hands& mine = hands_[static_cast<std::size_t>(verb)];
  const bool is_new = mine.count == 0 || !is_same(mine.accesses[0], access, identity);
  if (is_new && mine.count < mine.accesses.size()) mine.accesses[mine.count++] = access;
  return std::nullopt;
}

}  // namespace blockyard::server
