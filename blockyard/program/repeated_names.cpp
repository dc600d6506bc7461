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

std::vector<std::int32_t> names_for_copy(const Program& program, const Selector& selector) {
  const auto is_simple = [&](std::int32_t index) {
    return program.indexes[static_cast<std::size_t>(index)].kind == array::IndexKind::simple;
  };
  std::vector<std::int32_t> names = selector.indexes;
  const auto& declared = program.arrays[static_cast<std::size_t>(selector.array)].indexes;
  for (std::size_t k = 0; k < names.size(); ++k)
    if (names[k] >= 0 && is_simple(declared[k]) && !is_simple(names[k])) names[k] = -2 - names[k];
  return names;
}

}  // namespace blockyard::program
