// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/place.h"

#include <fmt/format.h>

#include "blockyard/base/error.h"
#include "blockyard/flow/iterations.h"

namespace blockyard::flow {

using base::Errc;
using base::Error;
using program::Selector;

namespace {

/// Calls each(k, segment, subsegment) for every index k of the selector, with the segment of the
/// array that it selects and the part of it, or null for all of it. Returns how many indexes the
/// selector has; or, where one has no value or one outside of the array, its position.
template <class Each>
std::size_t for_each_segment(const program::Program& program, const Tables& tables,
                             const Selector& selector, std::span<const std::int64_t> values,
                             const Each& each) {
  const auto& indexes = program.indexes;
  const auto& dims = program.arrays[static_cast<std::size_t>(selector.array)].indexes;
  const array::Grid& grid = tables.grids[static_cast<std::size_t>(selector.array)];
  const std::size_t order = selector.indexes.size();
  for (std::size_t k = 0; k < order; ++k) {
    const auto named = static_cast<std::size_t>(selector.indexes[k]);
    std::int64_t value = values[named];
    std::optional<Subsegment> piece;
    const program::IndexDecl& declared = indexes[static_cast<std::size_t>(dims[k])];
    const bool is_cast = declared.kind == array::IndexKind::simple;  // (index)ii: just its number
    if (indexes[named].parent >= 0 && declared.parent < 0 && !is_cast && value != unbound) {
      piece = tables.subsegments[static_cast<std::size_t>(indexes[named].kind)].at(value);
      value = piece->segment;
    }
    if (!grid.contains(k, value)) return k;
    each(k, value, piece ? &*piece : nullptr);
  }
  return order;
}

}  // namespace

void locate(const Naming& naming, const Selector& selector, std::span<const std::int64_t> values,
            Place& place) {
  const array::Grid& grid = naming.tables.grids[static_cast<std::size_t>(selector.array)];
  place.is_whole = true;
  std::array<Extent, array::max_order> block_extents{};
  std::array<Extent, array::max_order> extents{};
  const std::size_t found =
      for_each_segment(naming.program, naming.tables, selector, values,
                       [&](std::size_t k, std::int64_t segment, const Subsegment* part) {
                         place.segments[k] = segment;
                         extents[k] = block_extents[k] = grid.extent(k, segment);
                         place.at[k] = part == nullptr ? 0 : part->offset;
                         if (part == nullptr) return;
                         extents[k] = part->extent;
                         place.is_whole = false;
                       });
  const std::size_t order = selector.indexes.size();
  if (found < order) report_no_place(naming, selector, values, found);
  place.id = {selector.array, grid.number_of({place.segments.data(), order})};
  place.block_shape = tensor::Shape({block_extents.data(), order});
  place.shape = place.is_whole ? place.block_shape : tensor::Shape({extents.data(), order});
}

void report_no_place(const Naming& naming, const Selector& selector,
                     std::span<const std::int64_t> values, std::size_t position) {
  const std::int32_t named = selector.indexes[position];
  const std::int64_t value = values[static_cast<std::size_t>(named)];
  if (value == unbound)
    throw Error(Errc::bad_input,
                fmt::format("index '{}' of array '{}' has no value here: no loop over it is open",
                            naming.index(named), naming.array(selector.array)));
  const auto& axis = naming.tables.grids[static_cast<std::size_t>(selector.array)].axis(position);
  throw Error(Errc::bad_input,
              fmt::format("index '{}' = {} is outside of the declared range {}:{} of index {} of "
                          "array '{}'",
                          naming.index(named), value, axis.first(), axis.last(), position + 1,
                          naming.array(selector.array)));
}

void for_each_selected(const Naming& naming, const Selector& selector,
                       std::span<const std::int64_t> values,
                       const std::function<void(const Place&)>& action) {
  const array::Grid& grid = naming.tables.grids[static_cast<std::size_t>(selector.array)];
  const std::size_t order = grid.order();
  if (grid.block_count() == 0) return;
  Place place;
  std::array<std::int64_t, array::max_order> first{}, last{};
  for (std::size_t k = 0; k < order; ++k) {
    first[k] = grid.axis(k).first();
    last[k] = grid.axis(k).last();
    if (selector.indexes[k] < 0) continue;
    first[k] = last[k] = values[static_cast<std::size_t>(selector.indexes[k])];
    if (!grid.contains(k, first[k])) report_no_place(naming, selector, values, k);
  }
  place.segments = first;
  for (std::size_t moved = 0; moved < order;) {
    std::array<Extent, array::max_order> extents{};
    for (std::size_t k = 0; k < order; ++k) extents[k] = grid.extent(k, place.segments[k]);
    place.id = {selector.array, grid.number_of({place.segments.data(), order})};
    place.block_shape = place.shape = tensor::Shape({extents.data(), order});
    action(place);
    for (moved = 0; moved < order && place.segments[moved] == last[moved]; ++moved)
      place.segments[moved] = first[moved];
    if (moved < order) ++place.segments[moved];
  }
}

std::optional<NamedBlock> block_of(const program::Program& program, const Tables& tables,
                                   const Selector& selector, std::span<const std::int64_t> values) {
  const array::Grid& grid = tables.grids[static_cast<std::size_t>(selector.array)];
  std::array<std::int64_t, array::max_order> segments{};
  const std::size_t order = selector.indexes.size();
  const std::size_t found = for_each_segment(
      program, tables, selector, values,
      [&](std::size_t k, std::int64_t segment, const Subsegment*) { segments[k] = segment; });
  if (found < order) return std::nullopt;
  const std::span<const std::int64_t> chosen(segments.data(), order);
  return NamedBlock{
      {selector.array, grid.number_of(chosen)},
      static_cast<std::size_t>(grid.element_count(chosen)) *
          array::bytes_of(program.arrays[static_cast<std::size_t>(selector.array)].type)};
}

}  // namespace blockyard::flow
