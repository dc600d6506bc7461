// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "blockyard/tensor/shape.h"

namespace blockyard::tensor::detail {

/// Several indexes run through as one: the rows, the columns or the summed depth of a contraction.
/// Each has a stride in the two operands where it stands.
struct PackedIndexes {
  struct Index {
    Extent extent = 1;
    std::array<Extent, 2> stride{};
  };
  std::array<Index, Shape::max_order + 1> item{};  // fastest first; one may be cut in two
  int count = 0;
  Extent total = 1;
};

/// Rows traversed in the same way. There are two such lists where pieces of an index leave a
/// remainder.
struct PackedRows {
  PackedIndexes indexes;           // strides in left and result
  std::array<Extent, 2> offset{};  // of the first row there
  Extent run = 1;                  // rows of the result that stand one after the other
  bool joins_runs = false;         // neighbour runs are neighbours in left: packed together
  Extent block = 1;
};

/// A contraction as one product of matrices whose rows and columns lie anywhere: blocks of both
/// operands are packed into panels for the micro-kernel, which is where the permutation happens;
/// the result is written in place. Kazushige Goto's loops with tensor addressing.
/// Source: Matthews, High-performance tensor contraction without transposition, 2018.
struct PackedSteps {
  std::array<PackedRows, 2> row_lists{};
  int row_list_count = 1;
  PackedIndexes columns;  // strides in right and result
  PackedIndexes depth;    // in left and right
  Extent column_block = 1;
  Extent depth_block = 1;

  /// Room for the rows of a block: panels are padded to whole vectors of up to 16, where runs are
  /// kept by at most 2/5.
  [[nodiscard]] Extent padded_row_block() const noexcept {
    return std::max(row_lists[0].block, row_lists[1].block) * 7 / 5 + 16;
  }
  [[nodiscard]] std::span<const PackedRows> rows() const noexcept {
    return {row_lists.data(), static_cast<std::size_t>(row_list_count)};
  }
};

}  // namespace blockyard::tensor::detail
