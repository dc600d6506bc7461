// SPDX-License-Identifier: Apache-2.0
#include "blockyard/array/distribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "blockyard/base/checked.h"
#include "blockyard/base/error.h"

namespace blockyard::array {

namespace {

using base::divided_up;
using base::Errc;
using base::Error;

/// The product of counts of elements, blocks or processes.
Extent times(Extent a, Extent b) {
  const std::optional<Extent> product = base::product(a, b);
  if (!product)
    throw Error(Errc::bad_input,
                fmt::format("an array is too large: {} times {} does not fit 64 bits", a, b));
  return *product;
}

void check_extents(std::span<const Extent> extents, int ranks) {
  if (extents.empty() || extents.size() > max_axes)
    throw Error(Errc::bad_input,
                fmt::format("an array has 1 to {} axes, not {}", max_axes, extents.size()));
  if (ranks < 1) throw Error(Errc::bad_input, "an array needs at least one process");
  for (std::size_t d = 0; d < extents.size(); ++d)
    if (extents[d] < 1)
      throw Error(Errc::bad_input,
                  fmt::format("axis {} has the extent {}; it must be at least 1", d, extents[d]));
  Extent elements = 1;  // no part has more
  for (const Extent extent : extents) elements = times(elements, extent);
}

/// The grid of exactly `ranks` blocks whose largest block is smallest; of those, the one with the
/// smallest surface; of those, the one that cuts later axes. Tries all factorizations.
struct GridSearch {
  std::span<const Extent> units;  ///< along each axis, what may be cut apart
  Indexes best{};
  double best_volume = 0, best_surface = 0;
  bool is_found = false;

  void judge(const Indexes& grid) {
    double volume = 1;
    for (std::size_t d = 0; d < units.size(); ++d)
      volume *= static_cast<double>(divided_up(units[d], grid[d]));
    double surface = 0;
    for (std::size_t d = 0; d < units.size(); ++d)
      if (grid[d] > 1) surface += volume / static_cast<double>(divided_up(units[d], grid[d]));
    if (is_found && (volume > best_volume || (volume == best_volume && surface > best_surface)))
      return;
    if (is_found && volume == best_volume && surface == best_surface &&
        !std::lexicographical_compare(grid.begin(), grid.end(), best.begin(), best.end()))
      return;
    best = grid;
    best_volume = volume;
    best_surface = surface;
    is_found = true;
  }

  void search(std::size_t d, Extent left, Indexes& grid) {
    if (d + 1 == units.size()) {
      if (left > units[d]) return;
      grid[d] = left;
      judge(grid);
      return;
    }
    for (Extent g = 1; g <= left && g <= units[d]; ++g) {
      if (left % g != 0) continue;
      grid[d] = g;
      search(d + 1, left / g, grid);
    }
  }
};

Indexes regular_grid(std::span<const Extent> units, int ranks) {
  for (Extent count = ranks; count > 1; --count) {
    GridSearch search{.units = units};
    Indexes grid{};
    search.search(0, count, grid);
    if (search.is_found) return search.best;
  }
  Indexes one{};
  std::fill_n(one.begin(), units.size(), 1);
  return one;
}

Cuts even_cuts(Extent extent, Extent units, Extent unit, Extent blocks) {
  Cuts cuts{.extent = extent, .blocks = blocks};
  for (Extent b = 0; b < blocks; ++b)
    cuts.begins.push_back(b * (units / blocks) * unit + std::min(b, units % blocks) * unit);
  cuts.begins.push_back(extent);
  return cuts;
}

Cuts equal_cuts(Extent extent, Extent edge, std::size_t d) {
  if (edge < 1)
    throw Error(Errc::bad_input, fmt::format("axis {} has blocks of {} elements; there must be at "
                                             "least 1",
                                             d, edge));
  return {.extent = extent, .blocks = divided_up(extent, edge), .edge = edge};
}

Cuts given_cuts(Extent extent, std::vector<Extent> begins, std::size_t d) {
  if (begins.empty() || begins.front() != 0)
    throw Error(Errc::bad_input, fmt::format("the first block of axis {} does not begin with the "
                                             "first element",
                                             d));
  Cuts cuts{.extent = extent, .blocks = static_cast<Extent>(begins.size())};
  begins.push_back(extent);
  for (std::size_t b = 1; b < begins.size(); ++b)
    if (begins[b] < begins[b - 1])
      throw Error(Errc::bad_input,
                  fmt::format("on axis {} block {} begins at {}, after its end at {}", d, b - 1,
                              begins[b - 1], begins[b]));
  cuts.begins = std::move(begins);
  return cuts;
}

int product_of(std::span<const Extent> grid) {
  Extent product = 1;
  for (const Extent g : grid) {
    if (g < 1) throw Error(Errc::bad_input, "a grid of processes has a side of less than 1");
    product = times(product, g);
  }
  return base::to_int(product);
}

}  // namespace

Distribution::Distribution(Dealing dealing, std::vector<Cuts> cuts, int ranks,
                           std::span<const Extent> grid)
    : dealing_(dealing), cuts_(std::move(cuts)), ranks_(ranks), dealt_(ranks) {
  block_count_ = 1;
  for (const Cuts& axis : cuts_) block_count_ = times(block_count_, axis.blocks);
  std::copy(grid.begin(), grid.end(), grid_.begin());
  if (is_direct() && block_count_ > ranks)
    throw Error(Errc::bad_input, fmt::format("{} blocks for {} processes: there must not be more "
                                             "blocks than processes",
                                             block_count_, ranks));
  lengths_.resize(static_cast<std::size_t>(dealt_));
  if (dealing_ == Dealing::cyclic || dealing_ == Dealing::tiled) {
    offsets_.reserve(static_cast<std::size_t>(block_count_));
    for (Extent block = 0; block < block_count_; ++block) {
      const Indexes at = coordinates_of(block);
      Extent& length = lengths_[static_cast<std::size_t>(holder_at(at))];
      offsets_.push_back(length);
      length += box_at(at).element_count();
    }
    return;
  }
  for (int rank = 0; rank < dealt_; ++rank) {
    Extent& length = lengths_[static_cast<std::size_t>(rank)];
    if (is_direct()) {
      length = rank < block_count_ ? box_of(rank).element_count() : 0;
      continue;
    }
    length = 1;
    Extent left = rank;
    for (std::size_t d = 0; d < axes(); ++d) {
      length *= local_extent(d, left % grid_[d]);
      left /= grid_[d];
    }
  }
}

Distribution Distribution::regular(std::span<const Extent> extents, int ranks,
                                   std::span<const Extent> least_edges) {
  check_extents(extents, ranks);
  std::vector<Extent> edges(extents.size(), 1), units(extents.size());
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (d < least_edges.size() && least_edges[d] > 0)
      edges[d] = std::min(least_edges[d], extents[d]);
    units[d] = divided_up(extents[d], edges[d]);
  }
  const Indexes grid = regular_grid(units, ranks);
  std::vector<Cuts> cuts;
  for (std::size_t d = 0; d < extents.size(); ++d)
    cuts.push_back(even_cuts(extents[d], units[d], edges[d], grid[d]));
  return {Dealing::direct, std::move(cuts), ranks, std::span(grid).first(extents.size())};
}

Distribution Distribution::irregular(std::span<const Extent> extents,
                                     std::vector<std::vector<Extent>> begins, int ranks) {
  check_extents(extents, ranks);
  std::vector<Cuts> cuts;
  std::vector<Extent> grid;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    cuts.push_back(given_cuts(extents[d], std::move(begins[d]), d));
    grid.push_back(cuts.back().blocks);
  }
  return {Dealing::direct, std::move(cuts), ranks, grid};
}

Distribution Distribution::block_cyclic(std::span<const Extent> extents,
                                        std::span<const Extent> edges, int ranks) {
  check_extents(extents, ranks);
  std::vector<Cuts> cuts;
  for (std::size_t d = 0; d < extents.size(); ++d)
    cuts.push_back(equal_cuts(extents[d], edges[d], d));
  return {Dealing::cyclic, std::move(cuts), ranks, {}};
}

Distribution Distribution::on_grid(std::span<const Extent> extents, std::span<const Extent> edges,
                                   std::span<const Extent> grid, Dealing dealing) {
  check_extents(extents, 1);
  std::vector<Cuts> cuts;
  for (std::size_t d = 0; d < extents.size(); ++d)
    cuts.push_back(equal_cuts(extents[d], edges[d], d));
  return {dealing, std::move(cuts), product_of(grid), grid};
}

Distribution Distribution::tiled_irregular(std::span<const Extent> extents,
                                           std::vector<std::vector<Extent>> begins,
                                           std::span<const Extent> grid) {
  check_extents(extents, 1);
  std::vector<Cuts> cuts;
  for (std::size_t d = 0; d < extents.size(); ++d)
    cuts.push_back(given_cuts(extents[d], std::move(begins[d]), d));
  return {Dealing::tiled, std::move(cuts), product_of(grid), grid};
}

void Distribution::pad(std::span<const Extent> widths) {
  if (!is_direct())
    throw Error(Errc::bad_input, "ghost cells are for regular and irregular distributions only");
  for (std::size_t d = 0; d < axes(); ++d) {
    if (widths[d] < 0)
      throw Error(Errc::bad_input, fmt::format("the ghost width of axis {} is {}; it must be 0 or "
                                               "more",
                                               d, widths[d]));
    widths_[d] = widths[d];
  }
  for (Extent block = 0; block < block_count_; ++block) {
    const Box box = box_of(block);
    Extent& length = lengths_[static_cast<std::size_t>(block)];
    length = box.is_empty() ? 0 : 1;
    for (std::size_t d = 0; d < axes(); ++d)
      length = times(length, box.extent(d) + times(2, widths_[d]));
  }
}

void Distribution::restrict_to(std::vector<int> ranks, int ranks_in_all) {
  if (static_cast<int>(ranks.size()) != dealt_)
    throw Error(Errc::bad_input,
                fmt::format("{} processes were named, but {} are dealt to", ranks.size(), dealt_));
  std::vector<bool> is_named(static_cast<std::size_t>(ranks_in_all), false);
  for (const int rank : ranks) {
    if (rank < 0 || rank >= ranks_in_all)
      throw Error(Errc::bad_input,
                  fmt::format("process {} is not one of 0..{}", rank, ranks_in_all - 1));
    const auto named = is_named.begin() + rank;
    if (*named) throw Error(Errc::bad_input, fmt::format("process {} is named twice", rank));
    *named = true;
  }
  holders_ = std::move(ranks);
  ranks_ = ranks_in_all;
}

Box Distribution::whole() const noexcept {
  Box box{.axes = axes()};
  for (std::size_t d = 0; d < axes(); ++d) box.end[d] = cuts_[d].extent;
  return box;
}

bool Distribution::is_padded() const noexcept {
  return std::any_of(widths_.begin(), widths_.end(), [](Extent width) { return width > 0; });
}

Extent Distribution::grid(std::size_t d) const noexcept { return grid_[d]; }

Extent Distribution::block_at(const Indexes& coordinates) const noexcept {
  Extent block = 0;
  for (std::size_t d = axes(); d-- > 0;) block = block * cuts_[d].blocks + coordinates[d];
  return block;
}

Indexes Distribution::coordinates_of(Extent block) const noexcept {
  Indexes at{};
  for (std::size_t d = 0; d < axes(); ++d) {
    at[d] = block % cuts_[d].blocks;
    block /= cuts_[d].blocks;
  }
  return at;
}

Extent Distribution::block_of(const Indexes& at) const noexcept {
  Indexes coordinates{};
  for (std::size_t d = 0; d < axes(); ++d) coordinates[d] = cuts_[d].block_of(at[d]);
  return block_at(coordinates);
}

Box Distribution::box_at(const Indexes& coordinates) const noexcept {
  Box box{.axes = axes()};
  for (std::size_t d = 0; d < axes(); ++d) {
    box.first[d] = cuts_[d].begin(coordinates[d]);
    box.end[d] = cuts_[d].end(coordinates[d]);
  }
  return box;
}

Box Distribution::box_of(Extent block) const noexcept { return box_at(coordinates_of(block)); }

int Distribution::holder_at(const Indexes& coordinates) const noexcept {
  if (is_direct()) return static_cast<int>(block_at(coordinates));
  if (dealing_ == Dealing::cyclic) return static_cast<int>(block_at(coordinates) % dealt_);
  Extent holder = 0;
  for (std::size_t d = axes(); d-- > 0;) holder = holder * grid_[d] + coordinates[d] % grid_[d];
  return static_cast<int>(holder);
}

int Distribution::rank_of(Extent block) const noexcept {
  const int holder = holder_at(coordinates_of(block));
  return holders_.empty() ? holder : holders_[static_cast<std::size_t>(holder)];
}

Extent Distribution::local_extent(std::size_t d, Extent coordinate) const noexcept {
  const Cuts& axis = cuts_[d];
  const Extent mine = (axis.blocks - coordinate + grid_[d] - 1) / grid_[d];
  if (mine <= 0) return 0;
  const Extent last = coordinate + (mine - 1) * grid_[d];
  return (mine - 1) * axis.edge + axis.end(last) - axis.begin(last);
}

Piece Distribution::part_of(const Indexes& coordinates, const Box& box) const noexcept {
  Piece piece{.block = block_at(coordinates)};
  const Box all = box_at(coordinates);
  piece.box = common(all, box);
  const int holder = holder_at(coordinates);
  piece.rank = holders_.empty() ? holder : holders_[static_cast<std::size_t>(holder)];
  Extent next = 1;
  for (std::size_t d = 0; d < axes(); ++d) {
    piece.strides[d] = next;
    piece.offset += next * (piece.box.first[d] - all.first[d] + widths_[d]);
    if (dealing_ == Dealing::matrix) {
      piece.offset += next * (coordinates[d] / grid_[d]) * cuts_[d].edge;
      next *= local_extent(d, coordinates[d] % grid_[d]);
    } else {
      next *= all.extent(d) + 2 * widths_[d];
    }
  }
  if (!offsets_.empty()) piece.offset += offsets_[static_cast<std::size_t>(piece.block)];
  return piece;
}

Piece Distribution::piece_of(Extent block) const noexcept {
  return part_of(coordinates_of(block), whole());
}

Extent Distribution::block_held_by(int rank) const noexcept {
  if (!holders_.empty()) {
    const auto found = std::find(holders_.begin(), holders_.end(), rank);
    if (found == holders_.end()) return -1;
    rank = static_cast<int>(found - holders_.begin());
  }
  return rank < block_count_ ? rank : -1;
}

std::vector<Extent> Distribution::blocks_of(int rank) const {
  std::vector<Extent> blocks;
  if (is_direct()) {
    if (const Extent block = block_held_by(rank); block >= 0) blocks.push_back(block);
    return blocks;
  }
  for (Extent block = 0; block < block_count_; ++block)
    if (rank_of(block) == rank) blocks.push_back(block);
  return blocks;
}

Extent Distribution::most_elements() const noexcept {
  return *std::max_element(lengths_.begin(), lengths_.end());
}

Extent Distribution::element_count(int rank) const noexcept {
  if (!holders_.empty()) {
    const auto found = std::find(holders_.begin(), holders_.end(), rank);
    if (found == holders_.end()) return 0;
    rank = static_cast<int>(found - holders_.begin());
  }
  return lengths_[static_cast<std::size_t>(rank)];
}

}  // namespace blockyard::array
