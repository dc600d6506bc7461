// SPDX-License-Identifier: Apache-2.0
// Included only by kernel_body.h, whose rules hold here too.
#pragma once

#include "blockyard/tensor/detail/short_kernels.h"

namespace blockyard::tensor::detail {
namespace {

/// 3 x 8 sums, 3 factors and more fit 32 registers; 2 x 4 fit 16.
constexpr int vectors_in_registers = vector_bytes == 64 ? 3 : 2;
constexpr int columns_in_registers = vector_bytes == 64 ? 8 : 4;

/// `vectors` registers of rows x `columns` of c, kept in registers over the whole sum. `is_cut`: of
/// the only register, the first `rows` lanes.
template <class R, bool is_cut, int vectors, int columns>
void gemm_tile(const Product<R>& of, Extent i, Extent j, int rows) {
  using Vector = Native<R>;
  constexpr int width = native_width<R>;
  Vector sums[columns][vectors] = {};
  const R* a = of.a + i;
  const R* b = of.b + j * of.b_column;
  for (Extent l = 0; l < of.k; ++l, a += of.lda, b += of.b_row) {
    Vector x[vectors];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) x[v] = load_rows<is_cut>(a + v * width, rows);
#pragma GCC unroll 8
    for (int q = 0; q < columns; ++q)
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) sums[q][v] += x[v] * b[q * of.b_column];
  }
#pragma GCC unroll 8
  for (int q = 0; q < columns; ++q) {
    R* c = of.c + i + (j + q) * of.ldc;
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      Vector y = sums[q][v] * of.alpha;
      if (of.beta != R(0)) {
        y += load_rows<is_cut>(c + v * width, rows) * of.beta;
      }
      store_rows<is_cut>(c + v * width, y, rows);
    }
  }
}

/// Columns from j to n in tiles, what is left in tiles of half as many. The rows of the left matrix
/// stay in the first cache meanwhile.
template <class R, bool is_cut, int vectors, int columns>
void gemm_columns(const Product<R>& of, Extent i, Extent j, Extent n, int rows) {
  for (; j + columns <= n; j += columns) gemm_tile<R, is_cut, vectors, columns>(of, i, j, rows);
  if constexpr (columns > 1)
    if (j < n) gemm_columns<R, is_cut, vectors, columns / 2>(of, i, j, n, rows);
}

/// Rows from i to m in tiles, what is left in fewer registers, the last of them cut short.
template <class R, int vectors>
void gemm_rows(const Product<R>& of, Extent i, Extent m, Extent n) {
  constexpr int width = native_width<R>;
  for (; i + width * vectors <= m; i += width * vectors)
    gemm_columns<R, false, vectors, columns_in_registers>(of, i, 0, n, width);
  if (i == m) return;
  if constexpr (vectors > 1)
    gemm_rows<R, vectors - 1>(of, i, m, n);
  else
    gemm_columns<R, true, 1, columns_in_registers>(of, i, 0, n, static_cast<int>(m - i));
}

template <class R>
void complex_product(const SmallProducts<std::complex<R>>& of, const R* a, const R* b,
                     const R* beta, R* c) {
  const R* alpha = parts(&of.alpha);
  const bool keeps = beta[0] != R(0) || beta[1] != R(0);
  for (Extent j = 0; j < of.n; ++j)
    for (Extent i = 0; i < of.m; ++i) {
      R re = 0, im = 0;
      for (Extent l = 0; l < of.k; ++l) {
        const R* x = a + 2 * (i + l * of.lda);
        const R* y = b + 2 * (l * of.b_row + j * of.b_column);
        re += x[0] * y[0] - x[1] * y[1];
        im += x[0] * y[1] + x[1] * y[0];
      }
      R* z = c + 2 * (i + j * of.ldc);
      const R old_re = keeps ? beta[0] * z[0] - beta[1] * z[1] : R(0);
      const R old_im = keeps ? beta[0] * z[1] + beta[1] * z[0] : R(0);
      z[0] = alpha[0] * re - alpha[1] * im + old_re;
      z[1] = alpha[0] * im + alpha[1] * re + old_im;
    }
}

template <class T>
void small_gemm(const SmallProducts<T>& of, const T* a, const T* b, T beta, T* c) {
  if constexpr (Parts<T>::count == 1)
    if (of.m == of.n && of.m == of.k && are_done_as_squares(of, a, b, beta, c)) return;
  for (Extent at = 0; at < of.count; ++at, a += of.a_step, b += of.b_step, c += of.c_step) {
    if constexpr (Parts<T>::count == 1) {
      const Product<T> one{of.k, of.alpha, a, of.lda, b, of.b_row, of.b_column, beta, c, of.ldc};
      if (of.n == 1)
        multiply_column(one, of.m);
      else
        gemm_rows<T, vectors_in_registers>(one, 0, of.m, of.n);
    } else {
      complex_product(of, parts(a), parts(b), parts(&beta), parts(c));
    }
  }
}

}  // namespace
}  // namespace blockyard::tensor::detail
