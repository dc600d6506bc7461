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
  static constexpr bool is_whole = bytes == 8 || bytes == 16 || bytes == 32 || bytes == 64;
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

/// A column of more elements than a vector has, as whole vectors; the last two may share elements.
template <class R, int rows>
struct LongColumn {
  static constexpr int width = native_width<R>, vectors = (rows + width - 1) / width;
  static constexpr int at(int v) { return v + 1 < vectors ? v * width : rows - width; }
  struct Vector {
    Native<R> part[vectors] = {};
    [[gnu::always_inline]] void scale(R factor) {
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) part[v] *= factor;
    }
    [[gnu::always_inline]] void add(const Vector& x, R factor) {
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) part[v] += x.part[v] * factor;
    }
  };
  [[gnu::always_inline]] static Vector load(const R* x) {
    Vector all;
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) all.part[v] = load_rows<false>(x + at(v), width);
    return all;
  }
  [[gnu::always_inline]] static void store(R* x, const Vector& all) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) store_rows<false>(x + at(v), all.part[v], width);
  }
};

/// Columns j to j + `columns` of an n x n product whose columns are longer than a vector, and those
/// after it: as many at a time as the registers hold.
template <class R, int n, bool is_by_rows, int j>
[[gnu::always_inline]] inline void long_columns(const R* a, const R* b, R alpha, R beta, R* c) {
  using Column = LongColumn<R, n>;
  constexpr int fitting = 8 / Column::vectors;
  constexpr int columns = n - j < fitting ? n - j : fitting;
  typename Column::Vector sums[columns];
#pragma GCC unroll 1
  for (int l = 0; l < n; ++l) {
    const auto x = Column::load(a + l * n);
#pragma GCC unroll 8
    for (int q = 0; q < columns; ++q)
      sums[q].add(x, b[is_by_rows ? l * n + j + q : l + (j + q) * n]);
  }
#pragma GCC unroll 8
  for (int q = 0; q < columns; ++q) {
    typename Column::Vector y = sums[q];
    y.scale(alpha);
    if (beta != R(0)) y.add(Column::load(c + (j + q) * n), beta);
    Column::store(c + (j + q) * n, y);
  }
  if constexpr (j + columns < n) long_columns<R, n, is_by_rows, j + columns>(a, b, alpha, beta, c);
}

/// n x n matrices without gaps, the right one by columns or by rows: the compiler knows all lengths
/// and places. Adds in the order of gemm_tile.
template <class R, int n, bool is_by_rows, bool keeps>
[[gnu::always_inline]] inline void square(const R* a, const R* b, R alpha, R beta, R* c) {
  if constexpr (n > native_width<R>) {
    long_columns<R, n, is_by_rows, 0>(a, b, alpha, beta, c);
  } else {
    using Column = ShortColumn<R, n>;
    typename Column::Vector sums[n] = {};
#pragma GCC unroll 8
    for (int l = 0; l < n; ++l) {
      const auto x = Column::load(a + l * n);
#pragma GCC unroll 8
      for (int j = 0; j < n; ++j) sums[j] += x * b[is_by_rows ? l * n + j : l + j * n];
    }
#pragma GCC unroll 8
    for (int j = 0; j < n; ++j) {
      auto y = sums[j] * alpha;
      if constexpr (keeps) y += Column::load(c + j * n) * beta;
      Column::store(c + j * n, y);
    }
  }
}

template <class R, int n, bool is_by_rows, bool keeps>
void squares(const SmallProducts<R>& of, const R* a, const R* b, R beta, R* c) {
  const R alpha = of.alpha;
  const Extent count = of.count, a_step = of.a_step, b_step = of.b_step, c_step = of.c_step;
  for (Extent at = 0; at < count; ++at, a += a_step, b += b_step, c += c_step)
    square<R, n, is_by_rows, keeps>(a, b, alpha, beta, c);
}

/// Whether these are n x n matrices that small, without gaps; then the products are done.
template <class R, int least = 2>
[[gnu::always_inline]] inline bool are_done_as_squares(const SmallProducts<R>& of, const R* a,
                                                       const R* b, R beta, R* c) {
  if constexpr (least > 8) {
    return false;
  } else {
    if (of.n != least) return are_done_as_squares<R, least + 1>(of, a, b, beta, c);
    if (of.lda != least || of.ldc != least) return false;
    const bool is_by_columns = of.b_row == 1 && of.b_column == least;
    if (!is_by_columns && (of.b_row != least || of.b_column != 1)) return false;
    const auto run =
        is_by_columns
            ? (beta == R(0) ? squares<R, least, false, false> : squares<R, least, false, true>)
            : (beta == R(0) ? squares<R, least, true, false> : squares<R, least, true, true>);
    run(of, a, b, beta, c);
    return true;
  }
}

}  // namespace
}  // namespace blockyard::tensor::detail
