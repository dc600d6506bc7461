// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/match.h"

#include <algorithm>
#include <utility>

#include "blockyard/program/repeated_names.h"

namespace blockyard::flow {

using program::Selector;

namespace {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;  ///< positions of both sides

bool has_range(const Selector& selector) {
  return std::ranges::find(selector.indexes, -1) != selector.indexes.end();
}

Pairs pairs_in_order(std::size_t count) {
  Pairs pairs;
  for (std::size_t k = 0; k < count; ++k) pairs.emplace_back(k, k);
  return pairs;
}

Pairs pairs_of(const Selector& to, const Selector& from) {
  if (has_range(to) || has_range(from))
    return pairs_in_order(std::min(to.indexes.size(), from.indexes.size()));
  std::vector<std::size_t> free_to;
  std::vector<bool> is_used(from.indexes.size(), false);
  Pairs pairs;
  for (std::size_t k = 0; k < to.indexes.size(); ++k) {
    std::size_t position = 0;  // a name that stands twice takes its places in order
    while (position < is_used.size() &&
           (is_used[position] || from.indexes[position] != to.indexes[k]))
      ++position;
    if (position == is_used.size()) {
      free_to.push_back(k);
      continue;
    }
    is_used[position] = true;
    pairs.emplace_back(k, position);
  }
  if (to.indexes.size() == from.indexes.size()) {  // names that differ are paired in order
    std::size_t next = 0;
    for (std::size_t k = 0; k < is_used.size(); ++k)
      if (!is_used[k]) pairs.emplace_back(free_to[next++], k);
    std::ranges::sort(pairs);
  }
  return pairs;
}

}  // namespace

Match match_of(const Selector& to, const Selector& from) {
  Match made;
  if (const auto places = program::targets_of_repeated(to.indexes, from.indexes)) {
    for (std::size_t k = 0; k < places->size(); ++k) {
      made.to_positions.push_back(k);
      made.from_positions.push_back(k);
      made.permutation.push_back(static_cast<int>(std::ranges::find(*places, k) - places->begin()));
    }
    return made;
  }
  const Pairs pairs = pairs_of(to, from);
  for (const auto& [target_position, source_position] : pairs) {
    made.to_positions.push_back(target_position);
    made.from_positions.push_back(source_position);
  }
  std::ranges::sort(made.from_positions);
  for (const auto& [target_position, source_position] : pairs)
    made.permutation.push_back(static_cast<int>(
        std::ranges::find(made.from_positions, source_position) - made.from_positions.begin()));
  return made;
}

}  // namespace blockyard::flow
