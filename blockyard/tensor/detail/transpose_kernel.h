// SPDX-License-Identifier: Apache-2.0
// Included only by kernel_body.h, whose rules hold here too.
#pragma once

#include <cstdint>
#include <utility>

#include "blockyard/tensor/detail/element_parts.h"

namespace blockyard::tensor::detail {
namespace {

/// Transposes width x width elements in registers, in log2(width) exchanges of blocks.
template <class R, int parts, int width>
struct Tile {
  using Vector = typename Register<R, parts, width>::Vector;
  using Lanes = std::make_integer_sequence<int, parts * width>;

  /// Lane of the pair (a, b) that goes to lane `to` of the first or second result.
  static constexpr int first(int to, int step) {
    const int element = to / parts;
    return (element & step) == 0 ? to : to - step * parts + width * parts;
  }
  static constexpr int second(int to, int step) {
    const int element = to / parts;
    return (element & step) == 0 ? to + step * parts : to + width * parts;
  }
  template <int step, int... lane>
  static void exchange(Vector& a, Vector& b, std::integer_sequence<int, lane...>) {
    const Vector low = __builtin_shufflevector(a, b, first(lane, step)...);
    b = __builtin_shufflevector(a, b, second(lane, step)...);
    a = low;
  }
  template <int step>
  static void exchange_all(Vector (&row)[width]) {
    if constexpr (step < width) {
#pragma GCC unroll 16
      for (int j = 0; j < width; ++j)
        if ((j & step) == 0) exchange<step>(row[j], row[j + step], Lanes{});
      exchange_all<2 * step>(row);
    }
  }
  /// Whole cache lines that are aligned pass the caches if asked for.
  template <bool streams>
  static void transpose(const R* in, Extent in_ld, R* out, Extent out_ld) {
    Vector row[width];
#pragma GCC unroll 16
    for (int j = 0; j < width; ++j)
      __builtin_memcpy(&row[j], in + j * in_ld * parts, sizeof(Vector));
    exchange_all<1>(row);
    if constexpr (streams && sizeof(Vector) == 64) {
      if (((reinterpret_cast<std::uintptr_t>(out) |
            static_cast<std::uintptr_t>(out_ld) * parts * sizeof(R)) &
           63u) == 0) {
#pragma GCC unroll 16
        for (int j = 0; j < width; ++j) stream(out + j * out_ld * parts, Native<R>(row[j]));
        return;
      }
    }
#pragma GCC unroll 16
    for (int j = 0; j < width; ++j)
      __builtin_memcpy(out + j * out_ld * parts, &row[j], sizeof(Vector));
  }
};

template <class R, int parts>
struct Tile<R, parts, 1> {
  template <bool streams>
  static void transpose(const R* in, Extent, R* out, Extent) {
    for (int p = 0; p < parts; ++p) out[p] = in[p];
  }
};

/// Tiles of `width`, then the two strips that are left with half the width.
template <class R, int parts, int width, bool streams>
void transpose_panel(Extent rows, Extent columns, const R* in, Extent in_ld, R* out,
                     Extent out_ld) {
  const Extent whole_rows = rows / width * width;
  const Extent whole_columns = columns / width * width;
  for (Extent i = 0; i < whole_rows; i += width)
    for (Extent j = 0; j < whole_columns; j += width)
      Tile<R, parts, width>::template transpose<streams>(in + (i + j * in_ld) * parts, in_ld,
                                                         out + (j + i * out_ld) * parts, out_ld);
  if constexpr (width > 1) {
    if (whole_rows < rows)
      transpose_panel<R, parts, width / 2, streams>(rows - whole_rows, columns,
                                                    in + whole_rows * parts, in_ld,
                                                    out + whole_rows * out_ld * parts, out_ld);
    if (whole_columns < columns)
      transpose_panel<R, parts, width / 2, streams>(whole_rows, columns - whole_columns,
                                                    in + whole_columns * in_ld * parts, in_ld,
                                                    out + whole_columns * parts, out_ld);
  }
}

/// Asks for all cache lines of rows x columns elements at once, so that they come at the same time.
template <bool to_write, class T>
void prefetch(Extent rows, Extent columns, const T* x, Extent ld) {
  constexpr Extent step = 64 / static_cast<Extent>(sizeof(T));
  for (Extent j = 0; j < columns; ++j) {
    for (Extent i = 0; i < rows; i += step) __builtin_prefetch(x + i + j * ld, to_write ? 1 : 0);
    __builtin_prefetch(x + rows - 1 + j * ld, to_write ? 1 : 0);
  }
}

template <class T>
void transpose(Extent rows, Extent columns, const T* in, Extent in_ld, T* out, Extent out_ld,
               Reach reach) {
  constexpr int wide = vector_bytes / static_cast<int>(sizeof(T));
  constexpr int width = wide > 8 ? 8 : wide;  // 16 x 16 does not fit the registers
  constexpr Extent side = 64;                 // as many pages as a small TLB holds
  for (Extent j = 0; j < columns; j += side)
    for (Extent i = 0; i < rows; i += side) {
      const Extent some_columns = columns - j < side ? columns - j : side;
      const Extent some_rows = rows - i < side ? rows - i : side;
      const T* from = in + i + j * in_ld;
      T* to = out + j + i * out_ld;
      if (reach != Reach::near) prefetch<false>(some_rows, some_columns, from, in_ld);
      if (reach == Reach::far) prefetch<true>(some_columns, some_rows, to, out_ld);
      const auto panel = reach == Reach::streamed
                             ? transpose_panel<PartOf<T>, Parts<T>::count, width, true>
                             : transpose_panel<PartOf<T>, Parts<T>::count, width, false>;
      panel(some_rows, some_columns, parts(from), in_ld, parts(to), out_ld);
    }
}

/// Matrices that consist of whole tiles: no remainders to look for.
template <class R, int parts, int width, class T>
void transpose_whole_tiles(const SmallMatrices<T>& of) {
  const auto* in = tensor::detail::parts(of.in);
  auto* out = tensor::detail::parts(of.out);
  for (Extent n = 0; n < of.count; ++n, in += of.in_step * parts, out += of.out_step * parts)
    for (Extent i = 0; i < of.rows; i += width)
      for (Extent j = 0; j < of.columns; j += width)
        Tile<R, parts, width>::template transpose<false>(in + (i + j * of.in_ld) * parts, of.in_ld,
                                                         out + (j + i * of.out_ld) * parts,
                                                         of.out_ld);
}

template <class T>
void transpose_many(const SmallMatrices<T>& of) {
  using R = PartOf<T>;
  constexpr int count = Parts<T>::count;
  constexpr int wide = vector_bytes / static_cast<int>(sizeof(T));
  constexpr int width = wide > 8 ? 8 : wide;
  const Extent both = of.rows | of.columns;
  if (both % width == 0) return transpose_whole_tiles<R, count, width>(of);
  if constexpr (width > 4)
    if (both % 4 == 0) return transpose_whole_tiles<R, count, 4>(of);
  for (Extent n = 0; n < of.count; ++n)
    transpose_panel<R, count, width, false>(of.rows, of.columns, parts(of.in + n * of.in_step),
                                            of.in_ld, parts(of.out + n * of.out_step), of.out_ld);
}

}  // namespace
}  // namespace blockyard::tensor::detail
