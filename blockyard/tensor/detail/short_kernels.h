// SPDX-License-Identifier: Apache-2.0
// Included only by kernel_body.h, whose rules hold here too.
#pragma once

#include "blockyard/tensor/detail/element_parts.h"

namespace blockyard::tensor::detail {
namespace {

/// What the tiles of one small product share.
template <class R>
struct Product {
  Extent k;
  R alpha;
  const R* a;
  Extent lda;
  const R* b;
  Extent b_row;
  Extent b_column;
  R beta;
  R* c;
  Extent ldc;
};

/// One register of rows, whole or the first `rows` of it.
template <bool is_cut, class R>
Native<R> load_rows(const R* x, int rows) {
  Native<R> v;
  if constexpr (is_cut)
    v = load_first(x, rows);
  else
    __builtin_memcpy(&v, x, sizeof v);
  return v;
}
template <bool is_cut, class R>
void store_rows(R* x, Native<R> v, int rows) {
  if constexpr (is_cut)
    store_first(x, v, rows);
  else
    __builtin_memcpy(x, &v, sizeof v);
}

/// `vectors` registers of rows of c, which has one column: four sums at a time, for each addition
/// waits for the one before it. `is_cut`: of the last register, the first `rows` lanes.
template <class R, bool is_cut, int vectors>
void column_tile(const Product<R>& of, Extent i, int rows) {
  constexpr int chains = 4;
  constexpr int width = native_width<R>;
  const auto load = [rows](const R* x, int v) __attribute__((always_inline)) {
    return v + 1 < vectors ? load_rows<false>(x + v * width, width)
                           : load_rows<is_cut>(x + v * width, rows);
  };
  Native<R> sums[chains][vectors] = {};
  const R* a = of.a + i;
  const R* b = of.b;
  const auto add = [&](int chain) __attribute__((always_inline)) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) sums[chain][v] += load(a, v) * *b;
    a += of.lda;
    b += of.b_row;
  };
  Extent l = 0;
  for (; l + chains <= of.k; l += chains)
#pragma GCC unroll 4
    for (int chain = 0; chain < chains; ++chain) add(chain);
  for (; l < of.k; ++l) add(0);
  R* c = of.c + i;
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) {
    Native<R> y = ((sums[0][v] + sums[1][v]) + (sums[2][v] + sums[3][v])) * of.alpha;
    if (of.beta != R(0)) y += load(c, v) * of.beta;
    if (v + 1 < vectors)
      store_rows<false>(c + v * width, y, width);
    else
      store_rows<is_cut>(c + v * width, y, rows);
  }
}

/// The product with a vector. Each number is added in the same order in every instruction set.
template <class R>
void multiply_column(const Product<R>& of, Extent m) {
  constexpr Extent width = native_width<R>;
  Extent i = 0;
  for (; i + 2 * width <= m; i += 2 * width) column_tile<R, false, 2>(of, i, width);
  const int rest = static_cast<int>(m - i);
  if (rest > width)
    column_tile<R, true, 2>(of, i, rest - static_cast<int>(width));
  else if (rest == width)
    column_tile<R, false, 1>(of, i, rest);
  else if (rest > 0)
    column_tile<R, true, 1>(of, i, rest);
}

/// A column of that many elements as one vector: of that length if there is such a vector, which
/// later loads can be served from while it is still being stored, else masked.
template <class R, int rows>
struct ShortColumn {
  static constexpr int bytes = rows * static_cast<int>(sizeof(R));
  static constexpr bool is_whole = bytes == 16 || bytes == 32 || bytes == 64;
  using Vector[[gnu::vector_size(is_whole ? bytes : vector_bytes)]] = R;
  static Vector load(const R* x) {
    if constexpr (is_whole) {
      Vector v;
      __builtin_memcpy(&v, x, sizeof v);
      return v;
    } else {
      return load_first(x, rows);
    }
  }
  static void store(R* x, Vector v) {
    if constexpr (is_whole)
      __builtin_memcpy(x, &v, sizeof v);
    else
      store_first(x, v, rows);
  }
};

/// n x n matrices without gaps, the right one by columns or by rows: the compiler knows all lengths
/// and places. Adds in the order of gemm_tile.
template <class R, int n, bool is_by_rows>
[[gnu::always_inline]] inline void gemm_square(const Product<R>& of) {
  using Column = ShortColumn<R, n>;
  const R *a = of.a, *b = of.b;
  R* c = of.c;
  typename Column::Vector sums[n] = {};
#pragma GCC unroll 8
  for (int l = 0; l < n; ++l) {
    const auto x = Column::load(a + l * n);
#pragma GCC unroll 8
    for (int j = 0; j < n; ++j) sums[j] += x * b[is_by_rows ? l * n + j : l + j * n];
  }
  if (of.beta == R(0)) {
#pragma GCC unroll 8
    for (int j = 0; j < n; ++j) Column::store(c + j * n, sums[j] * of.alpha);
  } else {
#pragma GCC unroll 8
    for (int j = 0; j < n; ++j)
      Column::store(c + j * n, sums[j] * of.alpha + Column::load(c + j * n) * of.beta);
  }
}

/// Whether these are n x n matrices that small, without gaps; then the product is done. Their
/// columns fit a vector.
template <class R, int least = 2>
[[gnu::always_inline]] inline bool is_done_as_square(const Product<R>& of, Extent n) {
  if constexpr (least > 8 || least > native_width<R>) {
    return false;
  } else {
    if (n != least) return is_done_as_square<R, least + 1>(of, n);
    if (of.lda != n || of.ldc != n) return false;
    if (of.b_row == 1 && of.b_column == n)
      gemm_square<R, least, false>(of);
    else if (of.b_row == n && of.b_column == 1)
      gemm_square<R, least, true>(of);
    else
      return false;
    return true;
  }
}

}  // namespace
}  // namespace blockyard::tensor::detail
