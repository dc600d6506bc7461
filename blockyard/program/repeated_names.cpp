// SPDX-License-Identifier: Apache-2.0
#include "blockyard/program/repeated_names.h"

#include <algorithm>

namespace blockyard::program {

std::optional<std::vector<std::size_t>> targets_of_repeated(std::span<const std::int32_t> target,
                                                            std::span<const std::int32_t> source) {
  if (target.size() != source.size() || std::ranges::equal(target, source)) return std::nullopt;
  std::vector<std::size_t> places(source.size(), 0);
  bool has_repeated = false;
  for (std::size_t k = 0; k < target.size(); ++k) {
    has_repeated = has_repeated || std::ranges::count(target, target[k]) > 1;
    const auto first = std::ranges::find(source, target[k]);
    if (target[k] < 0 || first == source.end()) return std::nullopt;
    places[static_cast<std::size_t>(first - source.begin())] = k;
  }
  std::vector<std::size_t> sorted = places;
  std::ranges::sort(sorted);
  const bool is_permutation = std::ranges::adjacent_find(sorted) == sorted.end();
  if (!has_repeated || !is_permutation) return std::nullopt;
  return places;
}

}  // namespace blockyard::program
