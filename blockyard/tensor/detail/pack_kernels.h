// SPDX-License-Identifier: Apache-2.0
// Included only by kernel_body.h, whose rules hold here too.
#pragma once

#include "blockyard/tensor/detail/panel_kernels.h"
#include "blockyard/tensor/detail/transpose_kernel.h"

namespace blockyard::tensor::detail {
namespace {

/// Length of the run of neighbours that starts at place[i].
inline Extent run_from(const Extent* place, Extent i, Extent count) {
  Extent length = 1;
  while (i + length < count && place[i + length] == place[i] + length) ++length;
  return length;
}

/// Whether all places stand one after the other; without branches, so that it is a few vectors.
inline bool is_run(const Extent* place, Extent count) {
  Extent differs = 0;
  for (Extent i = 1; i < count; ++i) differs |= place[i] - place[0] - i;
  return differs == 0;
}

/// Lines i to i + count stand one after the other at each depth; zeros after them up to `padded`.
template <class R>
void pack_lines(const PanelCopy<R>& of, Extent i, Extent count, Extent padded) {
  constexpr int width = native_width<R>;
  const R* in = of.in + of.line[i];
  R* out = of.out + i;
  for (Extent l = 0; l < of.k; ++l, out += of.width) {
    const R* from = in + of.depth[l];
    Extent v = 0;
    for (; v + width <= count; v += width) {
      Native<R> x;
      __builtin_memcpy(&x, from + v, sizeof x);
      __builtin_memcpy(out + v, &x, sizeof x);
    }
    if (v < padded) {
      const int rest = v < count ? static_cast<int>(count - v) : 0;
      const auto room = static_cast<int>(padded - v);
      const Native<R> x = load_first(from + v, rest);
      store_first(out + v, x, room < width ? room : width);
    }
    for (v += width; v < padded; ++v) out[v] = R(0);
  }
}

/// As transpose_lines, for one vector of lines and fewer than a vector of places.
template <class R>
void transpose_few(const Extent* line, const R* in, int count, R* out, Extent step) {
  constexpr int width = native_width < R >> 8 ? 8 : native_width<R>;
  if constexpr (width == native_width<R>) {
    Native<R> row[width];
#pragma GCC unroll 16
    for (int j = 0; j < width; ++j) row[j] = load_first(in + line[j], count);
    Squares<R, 1, width, width>::transpose(row);
#pragma GCC unroll 16
    for (int d = 0; d < width; ++d)
      if (d < count) __builtin_memcpy(out + d * step, &row[d], sizeof row[d]);
  }
}

/// out[d * step + i] = in[line[i] + d] for `count` places d, transposed in registers; zeros from
/// `lines` to `width`.
template <class R>
void transpose_lines(const PanelCopy<R>& of, const R* in, Extent count, R* out, Extent step) {
  constexpr int width = native_width < R >> 8 ? 8 : native_width<R>;
  using Square = Squares<R, 1, width, width>;
  using Vector = typename Square::Vector;
  for (Extent i = 0; i < of.width; i += width, out += width) {
    if (i + width <= of.lines && count < width && width == native_width<R>) {
      transpose_few(of.line + i, in, static_cast<int>(count), out, step);
      continue;
    }
    if (i + width > of.lines || count < width) {
      const Extent end = of.width - i < width ? of.width - i : width;
      for (Extent d = 0; d < count; ++d)
        for (Extent j = 0; j < end; ++j)
          out[d * step + j] = i + j < of.lines ? in[of.line[i + j] + d] : R(0);
      continue;
    }
    // The last piece overlaps the one before in place of a remainder.
    for (Extent d = 0;; d = d + 2 * width <= count ? d + width : count - width) {
      Vector row[width];
#pragma GCC unroll 16
      for (int j = 0; j < width; ++j)
        __builtin_memcpy(&row[j], in + of.line[i + j] + d, sizeof(Vector));
      Square::transpose(row);
#pragma GCC unroll 16
      for (int j = 0; j < width; ++j)
        __builtin_memcpy(out + (d + j) * step, &row[j], sizeof(Vector));
      if (d + width == count) break;
    }
  }
}

/// Several panels whose lines stand one after the other from panel to panel, `step` apart in `out`.
template <class R>
void pack_together(const PanelCopy<R>& of, Extent panels, Extent step) noexcept {
  constexpr Extent line = 64 / static_cast<Extent>(sizeof(R));
  R* out = of.out;
  for (Extent l = 0; l < of.k; ++l, out += of.width) {
    if (l + 1 <
        of.k)  // the processor does not guess these; far apart, they may not fit its first cache
      for (Extent i = 0; i < of.lines; ++i)
        for (Extent d = 0; d < panels; d += line)
          __builtin_prefetch(of.in + of.depth[l + 1] + of.line[i] + d, 0, 2);
    transpose_lines(of, of.in + of.depth[l], panels, out, step);
  }
}

/// Nothing stands one after the other.
template <class R>
void pack_scattered(const PanelCopy<R>& of) {
  R* out = of.out;
  for (Extent l = 0; l < of.k; ++l, out += of.width) {
    const R* in = of.in + of.depth[l];
    Extent i = 0;
    for (; i < of.lines; ++i) out[i] = in[of.line[i]];
    for (; i < of.width; ++i) out[i] = R(0);
  }
}

/// Where depth comes in pieces, each of which stands one place after the last: how long a piece is
/// and how many there are, from depth l on. No pieces: 0 of them.
struct Pieces {
  Extent length = 0;
  Extent count = 0;
};
inline Pieces pieces_from(const Extent* depth, Extent l, Extent k) {
  constexpr Extent longest = 64;
  const Extent* d = depth + l;
  for (Extent length = 1; length <= longest && l + 2 * length <= k; ++length) {
    if (d[length] != d[0] + 1 || d[2 * length - 1] != d[length - 1] + 1) continue;
    Extent count = 2;
    while (l + (count + 1) * length <= k && d[count * length] == d[0] + count &&
           d[(count + 1) * length - 1] == d[length - 1] + count)
      ++count;
    return {length, count};
  }
  return {};
}

/// Lines that stand apart, with depths in pieces: neighbours of different pieces are transposed
/// together. Returns the depth up to which it came.
template <class R>
Extent pack_pieces(const PanelCopy<R>& of) {
  Extent l = 0;
  for (;;) {
    const Pieces pieces = pieces_from(of.depth, l, of.k);
    if (pieces.count == 0) return l;
    for (Extent d = l; d < l + pieces.length; ++d)
      transpose_lines(of, of.in + of.depth[d], pieces.count, of.out + d * of.width,
                      pieces.length * of.width);
    l += pieces.length * pieces.count;
  }
}

template <class R>
void pack(const PanelCopy<R>& of) noexcept {
  if (of.lines > 1 && is_run(of.line, of.lines)) return pack_lines(of, 0, of.lines, of.width);
  if (run_from(of.depth, 0, of.k) > 1 || (of.k > 2 && run_from(of.depth, 1, of.k) > 1)) {
    for (Extent l = 0; l < of.k;) {
      const Extent length = run_from(of.depth, l, of.k);
      transpose_lines(of, of.in + of.depth[l], length, of.out + l * of.width, of.width);
      l += length;
    }
    return;
  }
  if (run_from(of.line, 0, of.lines) < 4) {
    const Extent done = pack_pieces(of);
    return pack_scattered(PanelCopy<R>{of.in, of.line, of.lines, of.width, of.depth + done,
                                       of.k - done, of.out + done * of.width});
  }
  for (Extent i = 0; i < of.lines;) {
    const Extent length = run_from(of.line, i, of.lines);
    const bool is_last = i + length == of.lines;
    pack_lines(of, i, length, is_last ? of.width - i : length);
    i += length;
  }
}

}  // namespace
}  // namespace blockyard::tensor::detail
