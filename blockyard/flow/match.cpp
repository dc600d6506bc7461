// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/match.h"

#include <algorithm>
#include <utility>

#include "blockyard/program/repeated_names.h"

namespace blockyard::flow {

namespace {

using Names = std::vector<std::int32_t>;
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;  ///< positions of both sides

bool has_range(const Names& names) { return std::ranges::find(names, -1) != names.end(); }

Pairs pairs_in_order(std::size_t count) {
  Pairs pairs;
  for (std::size_t k = 0; k < count; ++k) pairs.emplace_back(k, k);
  return pairs;
}

Pairs pairs_of(const Names& to, const Names& from) {
  if (has_range(to) || has_range(from)) return pairs_in_order(std::min(to.size(), from.size()));
  std::vector<std::size_t> free_to;
  std::vector<bool> is_used(from.size(), false);
  Pairs pairs;
  for (std::size_t k = 0; k < to.size(); ++k) {
    std::size_t position = 0;  // a name that stands twice takes its places in order
    while (position < is_used.size() && (is_used[position] || from[position] != to[k])) ++position;
    if (position == is_used.size()) {
      free_to.push_back(k);
      continue;
    }
    is_used[position] = true;
    pairs.emplace_back(k, position);
  }
  if (to.size() == from.size()) {  // names that differ are paired in order
    std::size_t next = 0;
    for (std::size_t k = 0; k < is_used.size(); ++k)
      if (!is_used[k]) pairs.emplace_back(free_to[next++], k);
    std::ranges::sort(pairs);
  }
  return pairs;
}

}  // namespace

Match match_of(const program::Program& program, const program::Selector& to,
               const program::Selector& from) {
  Match made;
  const Names left = program::names_for_copy(program, to);
  const Names right = program::names_for_copy(program, from);
  if (const auto places = program::targets_of_repeated(left, right)) {
    for (std::size_t k = 0; k < places->size(); ++k) {
      made.to_positions.push_back(k);
      made.from_positions.push_back(k);
      made.permutation.push_back(static_cast<int>(std::ranges::find(*places, k) - places->begin()));
    }
    return made;
  }
  const Pairs pairs = pairs_of(left, right);
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
