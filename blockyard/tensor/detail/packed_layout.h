// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

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

/// A contraction as one product of matrices whose rows and columns lie anywhere: blocks of both
/// operands are packed into panels for the micro-kernel, which is where the permutation happens;
/// the result is written in place. Kazushige Goto's loops with tensor addressing.
/// Source: Matthews, High-performance tensor contraction without transposition, 2018.
struct PackedSteps {
  PackedIndexes rows;       // strides in left and result
  PackedIndexes columns;    // in right and result
  PackedIndexes depth;      // in left and right
  Extent run = 1;           // rows of the result that stand one after the other
  bool joins_runs = false;  // neighbour runs are neighbours in left: packed together
  Extent row_block = 1;
  Extent column_block = 1;
  Extent depth_block = 1;
};

}  // namespace blockyard::tensor::detail
