// SPDX-License-Identifier: Apache-2.0
// Included only by kernel_body.h, whose rules hold here too.
#pragma once

#include "blockyard/tensor/detail/transpose_tile.h"

namespace blockyard::tensor::detail {
namespace {

/// `count` matrices to transpose: out[n * out_step + row_at[i] + j] = in[n * in_step + column_at[j]
/// + i].
template <class T>
struct Matrices {
  Extent rows, columns, count;
  const T* in;
  const Extent* column_at;
  Extent in_step;
  T* out;
  const Extent* row_at;
  Extent out_step;
  /// The matrix after these, asked for ahead; null: there is none.
  const T* next_in = nullptr;
  T* next_out = nullptr;
};

/// Matrices with fewer rows or columns than a tile: what is not there is masked.
template <class T>
[[gnu::noinline]] void transpose_small(const Matrices<T>& of) {
  constexpr int count = Parts<T>::count;
  using R = PartOf<T>;
  using OneTile = Tile<R, count, stores_halves>;
  constexpr int width = OneTile::width, height = OneTile::height;
  for (Extent begin = 0; begin < of.columns; begin += width) {
    const int columns = static_cast<int>(of.columns - begin < width ? of.columns - begin : width);
    const R* column[width];
#pragma GCC unroll 16
    for (int j = 0; j < width; ++j)
      column[j] = parts(of.in + of.column_at[begin + (j < columns ? j : 0)]);
    R* const out = parts(of.out + begin);
    for (Extent n = 0; n < of.count; ++n)
      for (Extent i = 0; i < of.rows; i += height) {
        const int rows = static_cast<int>(of.rows - i < height ? of.rows - i : height);
        typename OneTile::Vector v[OneTile::vectors];
        OneTile::load(column, (n * of.in_step + i) * count, rows, v);
        OneTile::transpose(v);
#pragma GCC unroll 16
        for (int k = 0; k < height; ++k)
          if (k < rows)
            OneTile::store_row(k, out + (n * of.out_step + of.row_at[i + k]) * count, columns, v);
      }
  }
}

/// Tiles side by side, so that neighbours in a cache line are written together.
template <class T, bool halves, int tiles, bool streams>
[[gnu::always_inline]] inline void transpose_tiles(const PartOf<T>* const* column, Extent at,
                                                   PartOf<T>* out, const Extent* row_at) {
  constexpr int count = Parts<T>::count;
  using OneTile = Tile<PartOf<T>, count, halves>;
  typename OneTile::Vector v[tiles][OneTile::vectors];
#pragma GCC unroll 2
  for (int t = 0; t < tiles; ++t) {
    OneTile::load(column + t * OneTile::width, at, v[t]);
    OneTile::transpose(v[t]);
  }
#pragma GCC unroll 16
  for (int k = 0; k < OneTile::height; ++k) {
    PartOf<T>* const row = out + row_at[k] * count;
#pragma GCC unroll 2
    for (int t = 0; t < tiles; ++t)
      OneTile::template store_row<streams>(k, row + t * OneTile::width * count, v[t]);
  }
}

/// Tiles down all rows: so columns are looked up once. The last goes over some rows again.
template <class T, bool halves, int tiles, bool streams>
[[gnu::always_inline]] inline void transpose_strip(const Matrices<T>& of, Extent begin) {
  constexpr int count = Parts<T>::count;
  constexpr int width = Tile<PartOf<T>, count, halves>::width;
  constexpr int height = Tile<PartOf<T>, count, halves>::height;
  const PartOf<T>* column[tiles * width];
#pragma GCC unroll 16
  for (int j = 0; j < tiles * width; ++j) column[j] = parts(of.in + of.column_at[begin + j]);
  PartOf<T>* out = parts(of.out + begin);
  const Extent rest = of.rows % height;
  const Extent* const end = of.row_at + of.rows - rest;
  for (Extent n = 0; n < of.count; ++n) {
    Extent at = n * of.in_step * count;
    for (const Extent* row = of.row_at; row != end; row += height) {
      transpose_tiles<T, halves, tiles, streams>(column, at, out, row);
      at += height * count;
    }
    if (rest > 0)
      transpose_tiles<T, halves, tiles, streams>(column, at - (height - rest) * count, out,
                                                 end - (height - rest));
    out += of.out_step * count;
  }
}

template <class T>
using SmallTile = Tile<PartOf<T>, Parts<T>::count, stores_halves>;
template <class T>
using WideTile = Tile<PartOf<T>, Parts<T>::count, false>;

/// `wide`: whole vectors are stored, which is better past the first cache.
template <class T, bool wide, bool streams>
[[gnu::always_inline]] inline void transpose_part(const Matrices<T>& of) {
  constexpr int width = SmallTile<T>::width;
  Extent j = 0;
  if constexpr (wide && stores_halves) {
    constexpr int whole = WideTile<T>::width;
    for (; j + whole <= of.columns; j += whole) transpose_strip<T, false, 1, streams>(of, j);
  } else {
    for (; j + 2 * width <= of.columns; j += 2 * width)
      transpose_strip<T, stores_halves, 2, streams>(of, j);
  }
  // The last tile goes over some columns again.
  for (; j < of.columns; j += width)
    transpose_strip<T, stores_halves, 1, false>(of,
                                                j + width < of.columns ? j : of.columns - width);
}

template <class T, bool wide, bool streams>
[[gnu::always_inline]] inline void transpose_any(const Matrices<T>& of) {
  if (SmallTile<T>::fits(of.rows, of.columns))
    transpose_part<T, wide, streams>(of);
  else
    transpose_small(of);
}

}  // namespace
}  // namespace blockyard::tensor::detail
