// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "blockyard/array/box.h"

namespace blockyard::array {

/// How one axis is cut into blocks.
struct Cuts {
  Extent extent = 0;
  Extent blocks = 0;
  Extent edge = 0;                  ///< of all blocks but the last; 0: `begins` says
  std::vector<Extent> begins = {};  ///< of each block, and the extent at the end

  [[nodiscard]] Extent begin(Extent block) const noexcept {
    if (edge > 0) return std::min(block * edge, extent);
    return begins[static_cast<std::size_t>(block)];
  }
  [[nodiscard]] Extent end(Extent block) const noexcept { return begin(block + 1); }
  /// The block that element `at` lies in. REQUIRES: 0 <= at < extent.
  [[nodiscard]] Extent block_of(Extent at) const noexcept {
    if (edge > 0) return at / edge;
    const auto last = begins.begin() + static_cast<std::ptrdiff_t>(blocks);
    if (blocks > few_blocks) return std::upper_bound(begins.begin(), last, at) - begins.begin() - 1;
    Extent block = -1;
    for (auto begin = begins.begin(); begin != last; ++begin) block += at >= *begin ? 1 : 0;
    return block;
  }
  friend bool operator==(const Cuts&, const Cuts&) = default;

  static constexpr Extent few_blocks = 8;  ///< faster looked at one by one
};

/// Where elements of one block lie: those of `box` begin at `offset` in the memory of `rank`; the
/// next one along axis d is strides[d] further. Offsets and strides in elements.
struct Piece {
  Extent block = 0;
  int rank = 0;
  Box box = {};
  Extent offset = 0;
  Indexes strides{};
};

/// Which rank holds which elements of an array, and where in its memory: arithmetic only.
/// The array is cut into blocks, numbered with the first axis fastest. Any thread.
class Distribution {
 public:
  /// The assignment of blocks to ranks, and the way a rank stores several.
  enum class Dealing : std::uint8_t {
    direct,  ///< block p to rank p
    cyclic,  ///< block b to rank b mod ranks; stored one after the other
    tiled,   ///< on axis d block i to grid coordinate i mod grid[d]; stored one after the other
    matrix,  ///< dealt like tiled; the blocks of a rank are one dense local array (ScaLAPACK)
  };

  Distribution() = default;
  /// At most `ranks` blocks with nearly equal edges. least_edges[d]: edges of axis d are multiples
  /// of it but for the last; 0 or less: any edge.
  [[nodiscard]] static Distribution regular(std::span<const Extent> extents, int ranks,
                                            std::span<const Extent> least_edges = {});
  /// Block p to rank p. begins[d]: of the blocks of axis d, from 0 on, not falling.
  [[nodiscard]] static Distribution irregular(std::span<const Extent> extents,
                                              std::vector<std::vector<Extent>> begins, int ranks);
  [[nodiscard]] static Distribution block_cyclic(std::span<const Extent> extents,
                                                 std::span<const Extent> edges, int ranks);
  /// Blocks of equal edges on a grid of ranks, first axis fastest: Dealing::tiled or ::matrix.
  [[nodiscard]] static Distribution on_grid(std::span<const Extent> extents,
                                            std::span<const Extent> edges,
                                            std::span<const Extent> grid, Dealing dealing);
  /// The same, tiled, with blocks of given beginnings.
  [[nodiscard]] static Distribution tiled_irregular(std::span<const Extent> extents,
                                                    std::vector<std::vector<Extent>> begins,
                                                    std::span<const Extent> grid);
  // All throw Error{bad_input} with what does not fit.

  /// Pads each block by widths[d] on both sides of axis d. Only of directly dealt blocks.
  void pad(std::span<const Extent> widths);
  /// The blocks dealt to rank p go to ranks[p]; no other of `ranks_in_all` ranks holds any.
  void restrict_to(std::vector<int> ranks, int ranks_in_all);

  [[nodiscard]] std::size_t axes() const noexcept { return cuts_.size(); }
  [[nodiscard]] Extent extent(std::size_t d) const noexcept { return cuts_[d].extent; }
  [[nodiscard]] const Cuts& cuts(std::size_t d) const noexcept { return cuts_[d]; }
  [[nodiscard]] Box whole() const noexcept;
  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  [[nodiscard]] Dealing dealing() const noexcept { return dealing_; }
  [[nodiscard]] bool is_direct() const noexcept { return dealing_ == Dealing::direct; }
  [[nodiscard]] bool is_restricted() const noexcept { return !holders_.empty(); }
  [[nodiscard]] const Indexes& widths() const noexcept { return widths_; }
  [[nodiscard]] bool is_padded() const noexcept;
  /// Ranks along axis d; of directly dealt blocks: blocks.
  [[nodiscard]] Extent grid(std::size_t d) const noexcept;

  [[nodiscard]] Extent block_count() const noexcept { return block_count_; }
  [[nodiscard]] Extent block_at(const Indexes& coordinates) const noexcept;
  [[nodiscard]] Indexes coordinates_of(Extent block) const noexcept;
  /// The block of an element. REQUIRES: whole().contains(at).
  [[nodiscard]] Extent block_of(const Indexes& at) const noexcept;
  [[nodiscard]] Box box_of(Extent block) const noexcept;
  [[nodiscard]] int rank_of(Extent block) const noexcept;
  /// All of a block.
  [[nodiscard]] Piece piece_of(Extent block) const noexcept;
  /// Where the first element of a box lies: known after a step for each axis, from 0 on.
  struct Spot {
    Extent block = 0, offset = 0;
    Extent blocks = 1, length = 1;  ///< of the axes so far
  };
  /// False: the box does not lie within one block. REQUIRES: is_direct(), first and last are within
  /// the extent of axis d.
  [[nodiscard]] bool step(Spot& spot, std::size_t d, Extent first, Extent last) const noexcept {
    const Cuts& axis = cuts_[d];
    const Extent width = widths_[d];
    if (axis.blocks == 1) {
      spot.offset += spot.length * (first + width);
      spot.length *= axis.extent + 2 * width;
      return true;
    }
    // Blocks that are dealt directly have given beginnings.
    const Extent* begins = axis.begins.data();
    Extent at = 0;
    if (axis.blocks > Cuts::few_blocks)
      at = axis.block_of(first);
    else
      while (at + 1 < axis.blocks && begins[at + 1] <= first) ++at;
    const Extent begin = begins[at], end = begins[at + 1];
    spot.block += at * spot.blocks;
    spot.blocks *= axis.blocks;
    spot.offset += spot.length * (first - begin + width);
    spot.length *= end - begin + 2 * width;
    return last < end;
  }
  /// The rank that holds a block. REQUIRES: is_direct().
  [[nodiscard]] int holder_of(Extent block) const noexcept {
    return holders_.empty() ? static_cast<int>(block) : holders_[static_cast<std::size_t>(block)];
  }
  /// The block that a rank holds where blocks are dealt directly; -1 if none.
  [[nodiscard]] Extent block_held_by(int rank) const noexcept;
  /// The blocks of a rank, in the order of their numbers.
  [[nodiscard]] std::vector<Extent> blocks_of(int rank) const;
  /// Elements in the memory of a rank, padding included.
  [[nodiscard]] Extent element_count(int rank) const noexcept;
  /// Of the rank that has most.
  [[nodiscard]] Extent most_elements() const noexcept;

  /// Calls visit(const Piece&) for the part of each block in `box`, blocks in order of number.
  /// REQUIRES: box inside whole().
  template <class Visit>
  void for_each_piece(const Box& box, const Visit& visit) const {
    if (box.is_empty()) return;
    Indexes from{}, to{};
    for (std::size_t d = 0; d < axes(); ++d) {
      from[d] = cuts_[d].block_of(box.first[d]);
      to[d] = box.end[d] <= cuts_[d].end(from[d]) ? from[d] : cuts_[d].block_of(box.end[d] - 1);
    }
    Indexes at = from;
    for (;;) {
      const Piece piece = part_of(at, box);
      if (!piece.box.is_empty()) visit(piece);
      std::size_t d = 0;
      while (d < axes() && ++at[d] > to[d]) {
        at[d] = from[d];
        ++d;
      }
      if (d == axes()) return;
    }
  }

  friend bool operator==(const Distribution&, const Distribution&) = default;

 private:
  Distribution(Dealing dealing, std::vector<Cuts> cuts, int ranks, std::span<const Extent> grid);
  [[nodiscard]] Box box_at(const Indexes& coordinates) const noexcept;
  [[nodiscard]] int holder_at(const Indexes& coordinates) const noexcept;
  [[nodiscard]] Piece part_of(const Indexes& coordinates, const Box& box) const noexcept;
  /// The local extents of grid coordinates, where a rank's blocks are one array.
  [[nodiscard]] Extent local_extent(std::size_t d, Extent coordinate) const noexcept;

  Dealing dealing_ = Dealing::direct;
  std::vector<Cuts> cuts_;
  int ranks_ = 0;   ///< total, including those without data
  int dealt_ = 0;   ///< how many blocks are dealt to
  Indexes grid_{};  ///< of ranks, first axis fastest
  Indexes widths_{};
  std::vector<int> holders_;     ///< if restricted: what is dealt to p goes to holders_[p]
  std::vector<Extent> offsets_;  ///< of each block, where they are stored one after the other
  std::vector<Extent> lengths_;  ///< elements, by the receiving rank
  Extent block_count_ = 0;
};

}  // namespace blockyard::array
