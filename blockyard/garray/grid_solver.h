// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/garray/array.h"

namespace blockyard::garray {

/// One rank's part of a matrix of doubles that is dealt to a grid of ranks in square blocks, as
/// ScaLAPACK deals them: Layout::Form::matrix, first rank of the group first, first axis fastest.
struct DealtMatrix {
  double* local = nullptr;
  Extent rows = 0, columns = 0;
  Extent local_rows = 0, local_columns = 0;
};

/// The grid that matrices of one call share.
struct RankGrid {
  int group = -1;
  int rows = 1, columns = 1;
  Extent edge = 1;  ///< of blocks
};

/// A library for matrices dealt to many ranks. All: collective among the ranks of the grid, over
/// the lower half of symmetric matrices. They return 0, or LAPACK's error number.
class GridSolver {
 public:
  virtual ~GridSolver() = default;
  /// Whether a matrix with this many rows is worth it. Not collective.
  [[nodiscard]] virtual bool is_for(Extent rows, std::size_t ranks) const noexcept = 0;
  /// Whether the library is there. Not collective.
  [[nodiscard]] virtual bool open() = 0;

  /// b becomes the solution x of op(a) x = b; a is overwritten.
  virtual int solve_lu(const RankGrid& grid, bool is_transposed, const DealtMatrix& a,
                       const DealtMatrix& b) = 0;
  virtual int solve_cholesky(const RankGrid& grid, const DealtMatrix& a, const DealtMatrix& b) = 0;
  /// The lower half of a becomes that of its inverse.
  virtual int invert(const RankGrid& grid, const DealtMatrix& a) = 0;
  /// a v = s v diag(values); s null: the unit matrix. a and s are overwritten. More than the rows:
  /// s is not positive definite.
  virtual int diagonalize(const RankGrid& grid, const DealtMatrix& a, const DealtMatrix* s,
                          const DealtMatrix& v, double* values) = 0;
};

}  // namespace blockyard::garray
