// SPDX-License-Identifier: Apache-2.0
// Included only by kernel_body.h, whose rules hold here too.
#pragma once

#include <cstdint>
#include <utility>

#include "blockyard/tensor/detail/panel_kernels.h"

namespace blockyard::tensor::detail {
namespace {

/// 3 x 8 sums, 3 factors and more fit 32 registers; 3 x 4 (with fused multiply-add) or 2 x 4
/// fit 16.
constexpr int tile_vectors = vector_bytes == 16 ? 2 : 3;
constexpr int tile_columns = vector_bytes == 64 ? 8 : 4;

template <class R>
Native<R> load(const R* x) {
  Native<R> v;
  __builtin_memcpy(&v, x, sizeof v);
  return v;
}
template <class R>
void store(R* x, Native<R> v) {
  __builtin_memcpy(x, &v, sizeof v);
}

/// Whether all columns of a tile begin where a vector may be streamed to.
template <class R>
bool is_aligned(const TileProduct<R>& of, int columns) {
  std::uintptr_t all = 0;
  for (int q = 0; q < columns; ++q)
    all |= reinterpret_cast<std::uintptr_t>(of.result + of.column[q]);
  return all % vector_bytes == 0;
}

template <class R, int vectors, int columns>
using Sums = Native<R>[columns][vectors];

/// How a tile goes to memory; decided once for all its vectors.
enum class Writing { plain, cut, adding, adding_cut, streaming };

/// One vector of a tile. `cut`: the last vector has fewer than all lanes.
template <class R, Writing how>
[[gnu::always_inline]] inline void write_vector(const TileProduct<R>& of, R* at, Native<R> sum,
                                                bool is_last, int filled) {
  constexpr bool adds = how == Writing::adding || how == Writing::adding_cut;
  constexpr bool cuts = how == Writing::cut || how == Writing::adding_cut;
  Native<R> y = sum * of.alpha;
  const Native<R> beta = Native<R>{} + of.beta;
  if (cuts && is_last) {
    if (adds) y = multiply_add(load_first(at, filled), beta, y);
    store_first(at, y, filled);
  } else {
    if (adds) y = multiply_add(load(at), beta, y);
    if (how == Writing::streaming)
      stream(at, y);
    else
      store(at, y);
  }
}

template <Writing how, class R, int vectors, int columns, int... index>
[[gnu::always_inline]] inline void write_all(const TileProduct<R>& of,
                                             const Sums<R, vectors, columns>& sums,
                                             std::integer_sequence<int, index...>) {
  const int filled = of.rows - (vectors - 1) * native_width<R>;
  (write_vector<R, how>(
       of, of.result + of.column[index / vectors] + index % vectors * native_width<R>,
       sums[index / vectors][index % vectors], index % vectors + 1 == vectors, filled),
   ...);
}

/// Contiguous rows; the last vector may be cut short.
template <class R, int vectors, int columns>
[[gnu::always_inline]] inline void write_rows(const TileProduct<R>& of,
                                              const Sums<R, vectors, columns>& sums) {
  constexpr std::make_integer_sequence<int, vectors * columns> all{};
  const bool is_whole = of.rows == vectors * native_width<R>;
  if (of.beta != R(0))
    return is_whole ? write_all<Writing::adding, R, vectors, columns>(of, sums, all)
                    : write_all<Writing::adding_cut, R, vectors, columns>(of, sums, all);
  if (!is_whole) return write_all<Writing::cut, R, vectors, columns>(of, sums, all);
  if (of.streams && is_aligned(of, columns))
    return write_all<Writing::streaming, R, vectors, columns>(of, sums, all);
  write_all<Writing::plain, R, vectors, columns>(of, sums, all);
}

/// Rows anywhere: by way of the stack, in runs of rows that stand one after the other.
template <class R, int vectors, int columns>
[[gnu::always_inline]] inline void write_scattered(const TileProduct<R>& of,
                                                   const Sums<R, vectors, columns>& sums) {
  constexpr int width = native_width<R>;
  alignas(64) R buffer[columns][(vectors + 1) * width];  // one vector past the end may be read
#pragma GCC unroll 8
  for (int q = 0; q < columns; ++q)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v)
      store(&buffer[q][v * width], Native<R>(sums[q][v] * of.alpha));
  const Native<R> beta = Native<R>{} + of.beta;
  for (int i = 0; i < of.rows;) {
    int length = 1;
    while (length < width && i + length < of.rows && of.row[i + length] == of.row[i] + length)
      ++length;
    for (int q = 0; q < columns; ++q) {
      R* at = of.result + of.row[i] + of.column[q];
      Native<R> y = load(&buffer[q][i]);
      if (of.beta != R(0)) y = multiply_add(load_first(at, length), beta, y);
      store_first(at, y, length);
    }
    i += length;
  }
}

/// Asks for the lines of a tile and of the next panel of columns, one of each between steps of the
/// depth: all at once, they would keep the left panel waiting.
template <class R, int vectors, int columns>
class LinesAhead {
 public:
  explicit LinesAhead(const TileProduct<R>& of) : of_(of), next_(of.next), end_(of.next_end) {
    if (of.row != nullptr || of.streams) return;
    left_ = vectors * columns;
    if (of.k < left_ * depth_step * 5 / 4)
      while (left_ > 0) ask_result();
  }
  [[gnu::always_inline]] inline void ask() {
    if (left_ > 0) ask_result();
    if (next_ < end_) {
      __builtin_prefetch(next_, 0, 2);
      next_ += 64 / static_cast<int>(sizeof(R));
    }
  }
  static constexpr Extent depth_step = 8;

 private:
  void ask_result() {
    __builtin_prefetch(of_.result + of_.column[column_] + vector_ * native_width<R>, 1);
    if (++vector_ == vectors) {
      vector_ = 0;
      ++column_;
    }
    --left_;
  }
  const TileProduct<R>& of_;
  const R* next_;
  const R* end_;
  int left_ = 0, column_ = 0, vector_ = 0;
};

template <class R, int vectors, int columns>
void multiply_tile(const TileProduct<R>& of) noexcept {
  constexpr int width = native_width<R>;
  LinesAhead<R, vectors, columns> lines(of);
  Sums<R, vectors, columns> sums = {};
  const R* a = of.left;
  const R* b = of.right;
  constexpr int ahead = 8 * vectors * width;  // the left panel comes from the second cache
  for (Extent l = 0; l < of.k;) {
    const Extent end = l + lines.depth_step < of.k ? l + lines.depth_step : of.k;
    lines.ask();
    for (; l < end; ++l, a += vectors * width, b += tile_columns) {
      Native<R> x[vectors];
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) {
        x[v] = load(a + v * width);
        __builtin_prefetch(a + ahead + v * width);
      }
#pragma GCC unroll 8
      for (int q = 0; q < columns; ++q)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) sums[q][v] += x[v] * b[q];
    }
  }
  if (of.row == nullptr)
    write_rows<R, vectors, columns>(of, sums);
  else
    write_scattered<R, vectors, columns>(of, sums);
}

/// Finds the kernel of a tile's number of columns.
template <class R, int vectors, int columns>
void multiply_columns(const TileProduct<R>& of) noexcept {
  if constexpr (columns > 1)
    if (of.columns < columns) return multiply_columns<R, vectors, columns - 1>(of);
  multiply_tile<R, vectors, columns>(of);
}

/// Finds the kernel of a tile's number of vectors.
template <class R, int vectors = tile_vectors>
void multiply(const TileProduct<R>& of) noexcept {
  if constexpr (vectors > 1)
    if (of.rows <= (vectors - 1) * native_width<R>) return multiply<R, vectors - 1>(of);
  multiply_columns<R, vectors, tile_columns>(of);
}

}  // namespace
}  // namespace blockyard::tensor::detail
