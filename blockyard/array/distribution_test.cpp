// SPDX-License-Identifier: Apache-2.0
#include "blockyard/array/distribution.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "blockyard/base/error.h"

namespace blockyard::array {
namespace {

using Extents = std::vector<Extent>;
using Dealing = Distribution::Dealing;

/// Every element lies at a place of its own, inside the memory of its rank; and the pieces of some
/// boxes are these elements at these places.
void expect_sound(const Distribution& d, const std::string& name) {
  SCOPED_TRACE(name);
  std::set<std::pair<int, Extent>> places;
  std::map<Indexes, std::pair<int, Extent>> place_of;
  for (Extent block = 0; block < d.block_count(); ++block) {
    const Piece piece = d.piece_of(block);
    EXPECT_EQ(piece.box, d.box_of(block));
    EXPECT_EQ(piece.rank, d.rank_of(block));
    for_each_index(piece.box, [&](const Indexes& at) {
      EXPECT_EQ(d.block_of(at), block);
      Extent offset = piece.offset;
      for (std::size_t k = 0; k < d.axes(); ++k)
        offset += (at[k] - piece.box.first[k]) * piece.strides[k];
      EXPECT_GE(offset, 0);
      EXPECT_LT(offset, d.element_count(piece.rank));
      EXPECT_TRUE(places.insert({piece.rank, offset}).second);
      EXPECT_TRUE(place_of.insert({at, {piece.rank, offset}}).second);
    });
  }
  EXPECT_EQ(static_cast<Extent>(place_of.size()), d.whole().element_count());
  for (int part = 0; part < 4; ++part) {
    Box box = d.whole();
    for (std::size_t k = 0; k < d.axes(); ++k) {
      if (part & 1) box.first[k] = box.end[k] / 3;
      if (part & 2) box.end[k] = box.first[k] + (box.extent(k) + 1) / 2;
    }
    Extent seen = 0;
    d.for_each_piece(box, [&](const Piece& piece) {
      for_each_index(piece.box, [&](const Indexes& at) {
        ++seen;
        EXPECT_TRUE(box.contains(at));
        Extent offset = piece.offset;
        for (std::size_t k = 0; k < d.axes(); ++k)
          offset += (at[k] - piece.box.first[k]) * piece.strides[k];
        EXPECT_EQ(place_of.at(at), std::pair(piece.rank, offset));
      });
    });
    EXPECT_EQ(seen, box.element_count());
  }
  Extent blocks = 0;
  for (int rank = 0; rank < d.ranks(); ++rank)
    for (const Extent block : d.blocks_of(rank)) {
      ++blocks;
      EXPECT_EQ(d.rank_of(block), rank);
    }
  EXPECT_EQ(blocks, d.block_count());
}

const std::vector<Extents> shapes = {{1},     {7},       {64},         {5, 9},
                                     {12, 1}, {3, 4, 5}, {2, 3, 2, 3}, {2, 1, 3, 2, 2, 1, 2}};

TEST(Distribution, regular_blocks_hold_every_element_once) {
  for (const Extents& shape : shapes)
    for (int ranks = 1; ranks <= 9; ++ranks)
      for (const Extent chunk : {0, 1, 2, 4}) {
        const Extents chunks(shape.size(), chunk);
        auto d = Distribution::regular(shape, ranks, chunks);
        EXPECT_LE(d.block_count(), ranks);
        expect_sound(d, fmt::format("{} axes, {} ranks, chunk {}", shape.size(), ranks, chunk));
        d.pad(Extents(shape.size(), 2));
        expect_sound(d, "padded");
      }
}

TEST(Distribution, a_regular_grid_uses_all_ranks_it_can_and_cuts_late_axes_first) {
  const auto square = Distribution::regular(Extents{100, 100}, 2);
  EXPECT_EQ(square.grid(0), 1);
  EXPECT_EQ(square.grid(1), 2);
  const auto whole = Distribution::regular(Extents{100, 100}, 4, Extents{100, 0});
  EXPECT_EQ(whole.grid(0), 1);
  EXPECT_EQ(whole.grid(1), 4);
  EXPECT_EQ(Distribution::regular(Extents{3}, 7).block_count(), 3);
  EXPECT_EQ(Distribution::regular(Extents{10, 10}, 6).block_count(), 6);
}

TEST(Distribution, edges_are_multiples_of_the_chunk_but_for_the_last) {
  const auto d = Distribution::regular(Extents{22}, 3, Extents{4});
  EXPECT_EQ(d.cuts(0).begins, (Extents{0, 8, 16, 22}));
}

TEST(Distribution, irregular_blocks_may_be_empty) {
  expect_sound(Distribution::irregular(Extents{8, 5}, {{0, 2}, {0, 1, 5}}, 7), "irregular");
  expect_sound(Distribution::irregular(Extents{8}, {{0, 3, 3, 3, 7}}, 5), "empty blocks");
}

TEST(Distribution, dealt_blocks_hold_every_element_once) {
  for (const Extents& shape : shapes)
    for (const Extent edge : {1, 2, 5}) {
      const Extents edges(shape.size(), edge);
      for (const int ranks : {1, 2, 3, 4}) {
        const std::string name = fmt::format("edge {}, {} ranks", edge, ranks);
        expect_sound(Distribution::block_cyclic(shape, edges, ranks), "cyclic " + name);
        for (std::size_t side = 0; side < shape.size(); ++side) {
          Extents grid(shape.size(), 1);
          grid[side] = ranks;
          expect_sound(Distribution::on_grid(shape, edges, grid, Dealing::tiled), "tiled " + name);
          expect_sound(Distribution::on_grid(shape, edges, grid, Dealing::matrix),
                       "matrix " + name);
        }
      }
    }
  expect_sound(Distribution::tiled_irregular(Extents{9, 6}, {{0, 1, 4, 6}, {0, 5}}, Extents{2, 2}),
               "tiled irregular");
}

TEST(Distribution, a_local_matrix_is_that_of_scalapack) {
  // 5 x 4 in blocks of 2 x 2 on a grid of 2 x 1: rank 0 has rows 0 1 4, rank 1 rows 2 3.
  const auto d =
      Distribution::on_grid(Extents{5, 4}, Extents{2, 2}, Extents{2, 1}, Dealing::matrix);
  EXPECT_EQ(d.element_count(0), 12);
  EXPECT_EQ(d.element_count(1), 8);
  const Piece corner = d.piece_of(d.block_of({4, 2}));
  EXPECT_EQ(corner.rank, 0);
  EXPECT_EQ(corner.offset, 2 + 2 * 3);
  EXPECT_EQ(corner.strides[1], 3);
}

/// Both of its blocks would begin at the same place of its memory.
TEST(Distribution, is_not_restricted_to_a_rank_twice) {
  auto d = Distribution::regular(Extents{9}, 3);
  EXPECT_THROW(d.restrict_to({3, 1, 3}, 5), base::Error);
}

TEST(Distribution, restricted_data_lies_at_the_named_ranks) {
  auto d = Distribution::regular(Extents{6, 6}, 2);
  d.restrict_to({3, 1}, 5);
  expect_sound(d, "restricted");
  EXPECT_EQ(d.rank_of(0), 3);
  EXPECT_EQ(d.block_held_by(1), 1);
  EXPECT_EQ(d.block_held_by(0), -1);
  EXPECT_EQ(d.element_count(0), 0);
}

TEST(Distribution, says_what_does_not_fit) {
  EXPECT_THROW(Distribution::regular(Extents{4, 0}, 2), base::Error);
  EXPECT_THROW(Distribution::regular(Extents(8, 2), 2), base::Error);
  EXPECT_THROW(Distribution::irregular(Extents{8}, {{0, 2, 4}}, 2), base::Error);
  EXPECT_THROW(Distribution::irregular(Extents{8}, {{0, 5, 4}}, 3), base::Error);
  EXPECT_THROW(Distribution::irregular(Extents{8}, {{1, 5}}, 3), base::Error);
  EXPECT_THROW(Distribution::block_cyclic(Extents{8}, Extents{0}, 3), base::Error);
  EXPECT_THROW(Distribution::block_cyclic(Extents{8}, Extents{2}, 3).pad(Extents{1}), base::Error);
  constexpr Extent large = Extent{1} << 31;
  EXPECT_THROW(Distribution::regular(Extents{large, large, 2}, 2), base::Error);
  EXPECT_THROW(Distribution::on_grid(Extents{8, 8}, Extents{2, 2}, Extents{large, 2 * large},
                                     Dealing::tiled),
               base::Error);
  auto padded = Distribution::regular(Extents{large, large}, 1);
  EXPECT_EQ(padded.most_elements(), large * large);
  EXPECT_THROW(padded.pad(Extents{large, large}), base::Error);
}

}  // namespace
}  // namespace blockyard::array
