// SPDX-License-Identifier: Apache-2.0
// Included only by kernel_body.h, whose rules hold here too.
#pragma once

#include <utility>

#include "blockyard/tensor/detail/element_parts.h"
#include "blockyard/tensor/detail/sum_kernels.h"

namespace blockyard::tensor::detail {
namespace {

/// Transposes height x height elements in registers, or as many such squares side by side as
/// `width` elements of a vector have, in log2(height) exchanges. With `sorts` the second and the
/// third quarter of each vector change places in the last of them.
template <class R, int parts, int width, int height, bool sorts = false>
struct Squares {
  using Vector = typename Register<R, parts, width>::Vector;
  static constexpr int lanes = parts * width;

  [[gnu::always_inline]] static void transpose(Vector (&row)[height]) {
    if constexpr (height > 1)
      exchange_all<1>(row);
    else if constexpr (sorts)
      row[0] = sort(row[0], Lanes{});
  }

 private:
  using Lanes = std::make_integer_sequence<int, lanes>;
  static constexpr int sorted(int to) {
    constexpr int quarter = lanes < 4 ? 1 : lanes / 4;
    return to / quarter == 1 ? to + quarter : to / quarter == 2 ? to - quarter : to;
  }
  template <int... lane>
  static Vector sort(Vector a, std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(a, a, sorted(lane)...);
  }
  static constexpr int place(int to, int step) {
    return sorts && 2 * step == height ? sorted(to) : to;
  }
  /// Lane of the pair (a, b) that goes to lane `to` of the first or second result.
  static constexpr int first(int to, int step) {
    return (to / parts & step) == 0 ? to : to - step * parts + lanes;
  }
  static constexpr int second(int to, int step) {
    return (to / parts & step) == 0 ? to + step * parts : to + lanes;
  }
  template <int step, int... lane>
  static void exchange(Vector& a, Vector& b, std::integer_sequence<int, lane...>) {
    const Vector low = __builtin_shufflevector(a, b, first(place(lane, step), step)...);
    b = __builtin_shufflevector(a, b, second(place(lane, step), step)...);
    a = low;
  }
  template <int step>
  [[gnu::always_inline]] static void exchange_all(Vector (&row)[height]) {
    if constexpr (step < height) {
#pragma GCC unroll 16
      for (int j = 0; j < height; ++j)
        if ((j & step) == 0) exchange<step>(row[j], row[j + step], Lanes{});
      exchange_all<2 * step>(row);
    }
  }
};

/// Transposes `width` columns of `height` rows in `vectors` registers. A vector is loaded with the
/// pieces of two columns; what it has in the end is a row, or with `halves` two, which are stored
/// apart: that saves an exchange of lanes.
template <class R, int parts, bool halves>
struct Tile {
  static constexpr int lanes = native_width<R>;
  static constexpr int rows_of_vector = halves ? 2 : 1;
  static constexpr int width = lanes / parts / rows_of_vector;
  static constexpr int vectors = width > 1 ? width / 2 : 1;
  static constexpr int height = vectors * rows_of_vector;
  using Vector = Native<R>;
  static bool fits(Extent rows, Extent columns) { return rows >= height && columns >= width; }

  /// Whole pieces, `at` numbers after the begin of the columns.
  [[gnu::always_inline]] static void load(const R* const* column, Extent at, Vector* v) {
#pragma GCC unroll 16
    for (int m = 0; m < vectors; ++m)
      if constexpr (width > 1)
        v[m] = load_halves(column[m] + at, column[m + vectors] + at);
      else
        v[m] = load_whole(column[m] + at);
  }
  /// The first rows only.
  [[gnu::always_inline]] static void load(const R* const* column, Extent at, int rows, Vector* v) {
#pragma GCC unroll 16
    for (int m = 0; m < vectors; ++m) {
      v[m] = load_first(column[m] + at, rows * parts);
      if constexpr (width > 1)
        v[m] = join_lower(v[m], load_first(column[m + vectors] + at, rows * parts), Lanes{});
    }
  }
  [[gnu::always_inline]] static void transpose(Vector (&v)[vectors]) {
    Squares<R, parts, lanes / parts, vectors, halves>::transpose(v);
  }
  template <bool streams>
  [[gnu::always_inline]] static void store_row(int row, R* y, const Vector* v) {
    const Vector& x = v[row % vectors];
    if constexpr (streams)
      stream(y, x);
    else if constexpr (!halves)
      __builtin_memcpy(y, &x, sizeof x);
    else if (row < vectors)
      store_lower(y, x);
    else
      store_upper(y, x);
  }
  [[gnu::always_inline]] static void store_row(int row, R* y, int columns, const Vector* v) {
    const Vector& x = v[row % vectors];
    store_first(y, row < vectors ? x : swap_halves(x, Lanes{}), columns * parts);
  }

 private:
  using Lanes = std::make_integer_sequence<int, lanes>;

  template <int... lane>
  static Vector join_lower(Vector a, Vector b, std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(a, b, (lane < lanes / 2 ? lane : lane + lanes / 2)...);
  }
  template <int... lane>
  static Vector swap_halves(Vector a, std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(a, a, (lane ^ lanes / 2)...);
  }
};

}  // namespace
}  // namespace blockyard::tensor::detail
