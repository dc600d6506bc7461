// SPDX-License-Identifier: Apache-2.0
// Included only by kernel_body.h, whose rules hold here too.
#pragma once

#include "blockyard/tensor/detail/panel_kernels.h"
#include "blockyard/tensor/detail/product_kernels.h"
#include "blockyard/tensor/detail/tile_kernels.h"

namespace blockyard::tensor::detail {
namespace {

/// 4 x 4 sums and their factors fit 32 registers, 2 x 4 fit 16.
constexpr int batch_rows = vector_bytes == 64 ? 4 : 2;
constexpr int batch_columns = 4;

/// As many small matrices as a vector has lanes: element x of all in the vector at x * lanes.
template <class R>
struct BatchOperands {
  static constexpr int lanes = native_width<R>;
  alignas(64) R vectors[batch_vectors * lanes];
  R* left() { return vectors; }
  R* right(Extent left_elements) { return vectors + left_elements * lanes; }
};

/// Copies rows x columns vectors and asks for the neighbours, which come next: in place they lie so
/// far apart that they would push each other out of the first cache before they are used again.
template <bool is_cut, class R>
void copy_vectors(Extent rows, Extent columns, const R* in, Extent row, Extent column, R* out,
                  int lanes) {
  for (Extent j = 0; j < columns; ++j)
    for (Extent i = 0; i < rows; ++i, out += native_width<R>) {
      const R* from = in + i * row + j * column;
      __builtin_prefetch(from + native_width<R>);
      store(out, load_rows<is_cut>(from, lanes));
    }
}

/// Rows x columns of the results of as many products as a vector has lanes, or the first `lanes`.
template <class R, bool is_cut, int rows, int columns>
void batch_tile(const BatchProduct<R>& of, const R* left, const R* right, R* result, int lanes) {
  using Vector = Native<R>;
  constexpr int width = native_width<R>;
  Vector sums[columns][rows] = {};
  for (Extent l = 0; l < of.k; ++l, left += of.m * width, right += width) {
    Vector x[rows];
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) x[r] = load(left + r * width);
#pragma GCC unroll 4
    for (int q = 0; q < columns; ++q) {
      const Vector y = load(right + q * of.k * width);
#pragma GCC unroll 4
      for (int r = 0; r < rows; ++r) sums[q][r] += x[r] * y;
    }
  }
#pragma GCC unroll 4
  for (int q = 0; q < columns; ++q)
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) {
      R* c = result + r * of.result_row + q * of.result_column;
      Vector z = sums[q][r] * of.alpha;
      if (of.beta != R(0)) z += load_rows<is_cut>(c, lanes) * of.beta;
      store_rows<is_cut>(c, z, lanes);
    }
}

/// Rows from i on, columns from where `right` and `result` stand.
template <class R, bool is_cut, int rows, int columns>
void batch_rows_from(const BatchProduct<R>& of, Extent i, const R* left, const R* right, R* result,
                     int lanes) {
  for (; i + rows <= of.m; i += rows)
    batch_tile<R, is_cut, rows, columns>(of, left + i * native_width<R>, right,
                                         result + i * of.result_row, lanes);
  if constexpr (rows > 1)
    if (i < of.m) batch_rows_from<R, is_cut, rows / 2, columns>(of, i, left, right, result, lanes);
}

template <class R, bool is_cut, int columns>
void batch_columns_from(const BatchProduct<R>& of, Extent j, const R* left, const R* right,
                        R* result, int lanes) {
  for (; j + columns <= of.n; j += columns)
    batch_rows_from<R, is_cut, batch_rows, columns>(of, 0, left, right + j * of.k * native_width<R>,
                                                    result + j * of.result_column, lanes);
  if constexpr (columns > 1)
    if (j < of.n) batch_columns_from<R, is_cut, columns / 2>(of, j, left, right, result, lanes);
}

/// The products from place `at` on that fill one vector.
template <class R, bool is_cut>
void multiply_lanes(const BatchProduct<R>& of, Extent at, int lanes) {
  BatchOperands<R> operands;
  R* left = operands.left();
  R* right = operands.right(of.m * of.k);
  copy_vectors<is_cut>(of.m, of.k, of.left + at, of.left_row, of.left_column, left, lanes);
  copy_vectors<is_cut>(of.k, of.n, of.right + at, of.right_row, of.right_column, right, lanes);
  batch_columns_from<R, is_cut, batch_columns>(of, 0, left, right, of.result + at, lanes);
}

template <class R>
void multiply_batch(const BatchProduct<R>& of) noexcept {
  constexpr int width = native_width<R>;
  Extent at = 0;
  for (; at + width <= of.count; at += width) multiply_lanes<R, false>(of, at, width);
  if (at < of.count) multiply_lanes<R, true>(of, at, static_cast<int>(of.count - at));
}

}  // namespace
}  // namespace blockyard::tensor::detail
