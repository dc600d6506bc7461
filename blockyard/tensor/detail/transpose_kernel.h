// SPDX-License-Identifier: Apache-2.0
// Included only by kernel_body.h, whose rules hold here too.
#pragma once

#include <cstdint>

#include "blockyard/tensor/detail/loop_walk.h"
#include "blockyard/tensor/detail/transpose_strip.h"

namespace blockyard::tensor::detail {
namespace {

/// Runs through the matrices in the order in which they are transposed: panels of columns, in each
/// of them steps of a cache line of rows. A panel has `lines` cache lines of the results.
template <class T, int lines>
class TransposeWalk {
 public:
  static constexpr int line = 64 / static_cast<int>(sizeof(T));
  static constexpr int panel = lines * line;

  explicit TransposeWalk(const Matrices<T>& of) : of_(of), in_(of.in), out_(of.out) {}
  /// After the last matrix comes the next one of the caller, if there is one.
  [[gnu::always_inline]] void advance() {
    row_ += line;
    if (row_ < of_.rows) return;
    row_ = 0;
    column_ += panel;
    if (column_ < of_.columns) return;
    column_ = 0;
    in_ += of_.in_step;
    out_ += of_.out_step;
    if (++matrix_ < of_.count) return;
    has_more_ = matrix_ == of_.count && of_.next_in != nullptr;
    in_ = of_.next_in;
    out_ = of_.next_out;
  }
  [[nodiscard]] bool is_inside() const { return matrix_ < of_.count; }
  [[nodiscard]] bool has_more() const { return has_more_; }

  /// `last_too`: the rows of the results do not begin with a line, so they touch one more.
  /// Inlined before the compiler looks what it is good for: it drops calls that only prefetch.
  [[gnu::always_inline]] void prefetch(bool writes_too, bool last_too) const {
    const T* const x = in_ + row_;
    T* const y = out_ + column_;
    const Extent* const column_at = of_.column_at + column_;
    const Extent* const row_at = of_.row_at + row_;
    if (row_ + line <= of_.rows && column_ + panel <= of_.columns) {
#pragma GCC unroll 64
      for (int j = 0; j < panel; ++j) __builtin_prefetch(x + column_at[j]);
      if (writes_too)
#pragma GCC unroll 16
        for (int i = 0; i < line; ++i) prefetch_row(y + row_at[i], last_too);
      return;
    }
    const Extent columns = smaller(panel, of_.columns - column_);
    for (Extent j = 0; j < columns; ++j) __builtin_prefetch(x + column_at[j]);
    const Extent rows = writes_too ? smaller(line, of_.rows - row_) : 0;
    for (Extent i = 0; i < rows; ++i) prefetch_row(y + row_at[i], last_too);
  }
  template <bool streams>
  [[gnu::always_inline]] void transpose() const {
    if (row_ + line <= of_.rows && column_ + panel <= of_.columns) return transpose_step<streams>();
    // The rest of a matrix may be smaller than a tile, which then begins earlier.
    const Extent row = smaller(row_, larger(of_.rows - SmallTile<T>::height, 0));
    const Extent column = smaller(column_, larger(of_.columns - SmallTile<T>::width, 0));
    transpose_any<T, true, streams>(
        {smaller(row_ + line, of_.rows) - row, smaller(column_ + panel, of_.columns) - column, 1,
         in_ + row, of_.column_at + column, 0, out_ + column, of_.row_at + row, 0});
  }

 private:
  /// A whole step. All its places are constants but those of columns and rows.
  template <bool streams>
  [[gnu::always_inline]] void transpose_step() const {
    constexpr int count = Parts<T>::count;
    using OneTile = WideTile<T>;
    const auto* const x = parts(in_ + row_);
    auto* const y = parts(out_ + column_);
    const Extent* const column_at = of_.column_at + column_;
    const Extent* const row_at = of_.row_at + row_;
    for (int j = 0; j < panel; j += OneTile::width)
#pragma GCC unroll 2
      for (int i = 0; i < line; i += OneTile::height) {
        const PartOf<T>* column[OneTile::width];
#pragma GCC unroll 16
        for (int k = 0; k < OneTile::width; ++k) column[k] = x + column_at[j + k] * count;
        transpose_tiles<T, false, 1, streams>(column, i * count, y + j * count, row_at + i);
      }
  }
  static Extent smaller(Extent a, Extent b) { return b < a ? b : a; }
  static Extent larger(Extent a, Extent b) { return a < b ? b : a; }
  [[gnu::always_inline]] static void prefetch_row(T* y, bool last_too) {
#pragma GCC unroll 4
    for (int t = 0; t < lines; ++t) __builtin_prefetch(y + t * line);
    if (last_too) __builtin_prefetch(y + panel - 1);
  }

  Matrices<T> of_;
  const T* in_;
  T* out_;
  Extent row_ = 0, column_ = 0, matrix_ = 0;
  bool has_more_ = true;
};

/// The number of steps by which lines are prefetched before use; 0: never.
template <class T, int lines, bool streams>
void transpose_steps(const Matrices<T>& of, int steps_ahead, bool are_aligned) {
  TransposeWalk<T, lines> now(of), later = now;
  for (int k = 0; k < steps_ahead && later.has_more(); ++k) later.advance();
  for (; now.is_inside(); now.advance()) {
    if (steps_ahead > 0 && later.has_more()) {
      later.prefetch(!streams, !are_aligned);
      later.advance();
    }
    now.template transpose<streams>();
  }
}

/// Whether all rows of the results begin with a cache line, so that they can pass the caches.
template <class T>
bool begins_with_lines(const Matrices<T>& of) {
  Extent places = of.out_step;
  for (Extent i = 0; i < of.rows; ++i) places |= of.row_at[i];
  const auto bytes = static_cast<std::uintptr_t>(places) * sizeof(T);
  return ((bytes | reinterpret_cast<std::uintptr_t>(of.out)) & 63u) == 0;
}

/// Of so few lines that asking for them takes longer than waiting.
constexpr Extent small_matrix_bytes = 4096;

/// Each from its first row to its last, before the next one.
template <class T>
void transpose_one_by_one(Matrices<T> of) {
  const Extent count = of.count;
  of.count = 1;
  for (Extent n = 0; n < count; ++n) {
    transpose_any<T, true, false>(of);
    of.in += of.in_step;
    of.out += of.out_step;
  }
}

/// How many steps it takes until a line has come, and how wide panels are best, was measured
/// (docs/kernels.md): two lines of the results, which come in pairs; four past the caches; half as
/// many of f32, which are as many columns as of f64. In the second cache asking is only worth it if
/// rows of the results share lines with others.
template <class T>
[[gnu::noinline]] void transpose_some(const Matrices<T>& of, Reach reach) {
  if (reach == Reach::first) return transpose_any<T, false, false>(of);
  const bool are_aligned = begins_with_lines(of);
  if (reach == Reach::second && are_aligned) {
    if (of.columns <= TransposeWalk<T, 1>::line) return transpose_steps<T, 1, false>(of, 0, true);
    return transpose_steps<T, 2, false>(of, 0, true);
  }
  if (reach == Reach::second &&
      of.rows * of.columns * static_cast<Extent>(sizeof(T)) <= small_matrix_bytes)
    return transpose_one_by_one(of);
  constexpr int lines = sizeof(T) == sizeof(float) ? 1 : 2;
  if constexpr (vector_bytes == 64)
    if (reach == Reach::streamed && are_aligned)
      return transpose_steps<T, 2 * lines, true>(of, lines == 1 ? 6 : 4, true);
  if (are_aligned) return transpose_steps<T, lines, false>(of, 3, true);
  transpose_steps<T, 2, false>(of, 3, false);
}

/// The innermost loop is done with the matrices, unless its last ones are smaller.
template <class T>
void transpose(const MatrixSide& rows, const MatrixSide& columns, const CopyLoop* loops, int count,
               const T* in, T* out, Reach reach) {
  const bool has_inner = count > 0 && rows.cut_loop != 0 && columns.cut_loop != 0;
  const CopyLoop inner = has_inner ? loops[0] : CopyLoop{1, 0, 0};
  Matrices<T> of{rows.extent, columns.extent, inner.extent,    in, columns.at, inner.in_stride,
                 out,         rows.at,        inner.out_stride};
  const int outer = has_inner ? 1 : 0;
  if (count == outer) {  // a small block is done before loops around it are set up
    if (reach == Reach::first) return transpose_any<T, false, false>(of);
    return transpose_some(of, reach);
  }
  LoopWalk<T> now(loops, count, outer, in, out), next = now;
  bool has_next = true;
  while (has_next) {
    has_next = next.advance();
    of.rows = now.extent(rows);
    of.columns = now.extent(columns);
    of.in = now.in;
    of.out = now.out;
    of.next_in = has_next ? next.in : nullptr;
    of.next_out = has_next ? next.out : nullptr;
    transpose_some(of, reach);
    now = next;
  }
}

}  // namespace
}  // namespace blockyard::tensor::detail
