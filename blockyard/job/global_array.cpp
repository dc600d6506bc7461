// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/global_array.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

#include "blockyard/base/error.h"
#include "blockyard/garray/transfer.h"

namespace blockyard::job {

namespace {

using array::ElementType;
using array::Grid;
using base::Extent;
using garray::Box;
using garray::Indexes;

std::size_t axis_of(const GlobalArray& array, std::size_t k) {
  return array.is_reversed ? array.array.axes() - 1 - k : k;
}

/// A block, and the strides of its values: first index of the program fastest.
struct Place {
  Box box;
  Indexes strides{};

  Place(const GlobalArray& array, const Grid& grid, std::uint64_t number) {
    std::vector<std::int64_t> at(grid.order());
    grid.segments_of(number, at);
    box.axes = grid.order();
    Extent stride = 1;
    for (std::size_t k = 0; k < at.size(); ++k) {
      const std::size_t d = axis_of(array, k);
      box.first[d] = grid.offset(k, at[k]);
      box.end[d] = box.first[d] + grid.extent(k, at[k]);
      strides[d] = stride;
      stride *= grid.extent(k, at[k]);
    }
  }
};

std::vector<std::size_t> block_bytes(const Grid& grid, ElementType type) {
  std::vector<std::size_t> bytes(grid.block_count());
  std::vector<std::int64_t> at(grid.order());
  for (std::uint64_t number = 0; number < bytes.size(); ++number) {
    grid.segments_of(number, at);
    bytes[number] = static_cast<std::size_t>(grid.element_count(at)) * array::bytes_of(type);
  }
  return bytes;
}

/// Where the block lies as the program has it; null if it does not.
const std::byte* dense_place(const GlobalArray& array, const Place& place) {
  const std::byte* found = nullptr;
  array.array.distribution.for_each_piece(place.box, [&](const garray::Piece& piece) {
    const std::byte* base = array.array.bases[static_cast<std::size_t>(piece.rank)];
    if (base == nullptr || piece.box != place.box) return;
    for (std::size_t d = 0; d < place.box.axes; ++d)
      if (piece.box.extent(d) > 1 && piece.strides[d] != place.strides[d]) return;
    found = base + static_cast<std::size_t>(piece.offset) * array.array.kind.bytes;
  });
  return found;
}

fabric::Element element_of(ElementType type) {
  if (array::is_complex(type))
    return array::is_single(type) ? fabric::Element::c64 : fabric::Element::c128;
  return array::is_single(type) ? fabric::Element::f32 : fabric::Element::f64;
}

}  // namespace

void require_same(const std::string& name, const GlobalArray& array, const Segments& segments,
                  ElementType type) {
  if (array.array.kind.element != element_of(type))
    throw base::Error(base::Errc::bad_input,
                      fmt::format("array '{}' of the program has elements of type {}, the global "
                                  "array \"{}\" of type {}",
                                  name, array::element_names[static_cast<std::size_t>(type)],
                                  array.array.name, garray::name_of(array.array.kind)));
  std::vector<Extent> wanted, given;
  for (const auto& extents : segments)
    wanted.push_back(std::accumulate(extents.begin(), extents.end(), Extent{0}));
  for (std::size_t k = 0; k < array.array.axes(); ++k)
    given.push_back(array.array.extents[axis_of(array, k)]);
  if (wanted != given)
    throw base::Error(
        base::Errc::bad_input,
        fmt::format("array '{}' of the program has the shape ({}), the global array \"{}\" ({})",
                    name, fmt::join(wanted, ", "), array.array.name, fmt::join(given, ", ")));
}

server::Lent lend(const std::string& name, const std::string& label, const GlobalArray& array,
                  const Segments& segments, ElementType type,
                  std::shared_ptr<Exchanged> exchanged) {
  require_same(name, array, segments, type);
  const Grid grid = array::grid_of(segments);
  server::Lent lent{label, block_bytes(grid, type), {}, {}};
  lent.read = [array, grid, exchanged](std::uint64_t number, std::span<std::byte> into) {
    const Place place(array, grid, number);
    garray::get(array.runtime, array.array, place.box, {into.data(), place.strides});
    ++exchanged->copied;
  };
  lent.place = [array, grid, exchanged](std::uint64_t number) {
    const std::byte* found = dense_place(array, Place(array, grid, number));
    if (found != nullptr) ++exchanged->in_place;
    return found;
  };
  return lent;
}

void store_block(const GlobalArray& array, const Grid& grid, std::uint64_t number,
                 std::span<const std::byte> values) {
  const Place place(array, grid, number);
  const std::vector<std::byte> zeros(
      values.empty() ? static_cast<std::size_t>(place.box.element_count()) * array.array.kind.bytes
                     : 0);
  // A put does not change what it reads.
  void* from = const_cast<std::byte*>(values.empty() ? zeros.data() : values.data());
  garray::put(array.runtime, array.array, place.box, {from, place.strides});
}

}  // namespace blockyard::job
