// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/block_of.h"

#include "blockyard/flow/iterations.h"

namespace blockyard::flow {

std::optional<NamedBlock> block_of(const program::Program& program, const Tables& tables,
                                   const program::Selector& selector,
                                   std::span<const std::int64_t> values) {
  const auto& dims = program.arrays[static_cast<std::size_t>(selector.array)].indexes;
  const array::Grid& grid = tables.grids[static_cast<std::size_t>(selector.array)];
  std::array<std::int64_t, array::max_order> segments{};
  const std::size_t order = selector.indexes.size();
  for (std::size_t k = 0; k < order; ++k) {
    const auto named = static_cast<std::size_t>(selector.indexes[k]);
    const auto& index = program.indexes[named];
    std::int64_t value = values[named];
    if (value == unbound) return std::nullopt;
    if (index.parent >= 0 && program.indexes[static_cast<std::size_t>(dims[k])].parent < 0)
      value = tables.subsegments[static_cast<std::size_t>(index.kind)].at(value).segment;
    if (!grid.contains(k, value)) return std::nullopt;
    segments[k] = value;
  }
  const std::span<const std::int64_t> chosen(segments.data(), order);
  return NamedBlock{
      {selector.array, grid.number_of(chosen)},
      static_cast<std::size_t>(grid.element_count(chosen)) *
          array::bytes_of(program.arrays[static_cast<std::size_t>(selector.array)].type)};
}

}  // namespace blockyard::flow
