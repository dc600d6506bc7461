// SPDX-License-Identifier: Apache-2.0
// Included only by kernel_body.h, whose rules hold here too.
#pragma once

#include <cstdint>
#include <utility>

#include "blockyard/tensor/detail/element_parts.h"
#include "blockyard/tensor/detail/sum_kernels.h"

namespace blockyard::tensor::detail {
namespace {

/// Transposes height x height elements in registers, or as many such squares side by side as
/// `width` elements of a vector have, in log2(height) exchanges.
template <class R, int parts, int width, int height>
struct Squares {
  using Vector = typename Register<R, parts, width>::Vector;
  static constexpr int lanes = parts * width;

  static void turn(Vector (&row)[height]) { exchange_all<1>(row); }

 private:
  /// Lane of the pair (a, b) that goes to lane `to` of the first or second result.
  static constexpr int first(int to, int step) {
    return (to / parts & step) == 0 ? to : to - step * parts + lanes;
  }
  static constexpr int second(int to, int step) {
    return (to / parts & step) == 0 ? to + step * parts : to + lanes;
  }
  template <int step, int... lane>
  static void exchange(Vector& a, Vector& b, std::integer_sequence<int, lane...>) {
    const Vector low = __builtin_shufflevector(a, b, first(lane, step)...);
    b = __builtin_shufflevector(a, b, second(lane, step)...);
    a = low;
  }
  template <int step>
  static void exchange_all(Vector (&row)[height]) {
    if constexpr (step < height) {
#pragma GCC unroll 16
      for (int j = 0; j < height; ++j)
        if ((j & step) == 0)
          exchange<step>(row[j], row[j + step], std::make_integer_sequence<int, lanes>{});
      exchange_all<2 * step>(row);
    }
  }
};

/// Transposes `height` rows of `width` columns: each vector has pieces of two columns, so that the
/// results are whole vectors.
template <class R, int parts>
struct Tile {
  static constexpr int lanes = native_width<R>;
  static constexpr int width = lanes / parts;
  static constexpr int height = width > 1 ? width / 2 : 1;
  using Vector = Native<R>;
  using Lanes = std::make_integer_sequence<int, lanes>;

  template <int... lane>
  static Vector join_first_halves(Vector a, Vector b, std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(a, b, (lane < height * parts ? lane : lane + lanes / 2)...);
  }
  template <bool streams>
  [[gnu::always_inline]] static void whole(const R* in, const Extent* column_at, R* out,
                                           const Extent* row_at) {
    Vector row[height];
#pragma GCC unroll 16
    for (int j = 0; j < height; ++j)
      if constexpr (width > 1)
        row[j] = load_halves(in + column_at[j] * parts, in + column_at[j + height] * parts);
      else
        row[j] = load_whole(in + column_at[j] * parts);
    Squares<R, parts, width, height>::turn(row);
#pragma GCC unroll 16
    for (int i = 0; i < height; ++i)
      if constexpr (streams)
        stream(out + row_at[i] * parts, row[i]);
      else
        __builtin_memcpy(out + row_at[i] * parts, &row[i], sizeof(Vector));
  }
  /// The first rows and columns only.
  [[gnu::noinline]] static void some(int rows, int columns, const R* in, const Extent* column_at,
                                     R* out, const Extent* row_at) {
    Vector row[height];
#pragma GCC unroll 16
    for (int j = 0; j < height; ++j) {
      const int k = j + width / 2;
      Vector a{}, b{};
      if (j < columns) a = load_first(in + column_at[j] * parts, rows * parts);
      if (k != j && k < columns) b = load_first(in + column_at[k] * parts, rows * parts);
      row[j] = width > 1 ? join_first_halves(a, b, Lanes{}) : a;
    }
    Squares<R, parts, width, height>::turn(row);
#pragma GCC unroll 16
    for (int i = 0; i < height; ++i)
      if (i < rows) store_first(out + row_at[i] * parts, row[i], columns * parts);
  }
};

/// Runs through the matrices in the order in which they are transposed: panels of columns, in each
/// of them steps of a cache line of rows. A panel has `lines` cache lines of the results.
template <class T, int lines>
class TransposeWalk {
 public:
  static constexpr int line = 64 / static_cast<int>(sizeof(T));
  static constexpr int panel = lines * line;

  explicit TransposeWalk(const ScatteredMatrices<T>& of) : of_(of), in_(of.in), out_(of.out) {}
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
    if (is_whole()) {
#pragma GCC unroll 64
      for (int j = 0; j < panel; ++j) __builtin_prefetch(x + of_.column_at[column_ + j]);
      if (writes_too)
#pragma GCC unroll 16
        for (int i = 0; i < line; ++i) prefetch_row(y + of_.row_at[row_ + i], last_too);
      return;
    }
    const Extent columns = smaller(panel, of_.columns - column_);
    for (Extent j = 0; j < columns; ++j) __builtin_prefetch(x + of_.column_at[column_ + j]);
    const Extent rows = writes_too ? smaller(line, of_.rows - row_) : 0;
    for (Extent i = 0; i < rows; ++i) prefetch_row(y + of_.row_at[row_ + i], last_too);
  }
  template <bool streams>
  [[gnu::always_inline]] void transpose() const {
    const auto* const x = parts(in_ + row_);
    auto* const y = parts(out_ + column_);
    const Extent* const column_at = of_.column_at + column_;
    const Extent* const row_at = of_.row_at + row_;
    if (is_whole()) {
      for (int j = 0; j < panel; j += OneTile::width)
#pragma GCC unroll 2
        for (int i = 0; i < line; i += OneTile::height)
          OneTile::template whole<streams>(x + i * count, column_at + j, y + j * count, row_at + i);
      return;
    }
    const int rows = smaller(line, of_.rows - row_),
              columns = smaller(panel, of_.columns - column_);
    for (int j = 0; j < columns; j += OneTile::width)
      for (int i = 0; i < rows; i += OneTile::height)
        if (i + OneTile::height <= rows && j + OneTile::width <= columns)
          OneTile::template whole<streams>(x + i * count, column_at + j, y + j * count, row_at + i);
        else
          OneTile::some(smaller(OneTile::height, rows - i), smaller(OneTile::width, columns - j),
                        x + i * count, column_at + j, y + j * count, row_at + i);
  }

 private:
  static constexpr int count = Parts<T>::count;
  using OneTile = Tile<PartOf<T>, count>;

  static int smaller(int a, Extent b) { return b < a ? static_cast<int>(b) : a; }
  [[nodiscard]] bool is_whole() const {
    return row_ + line <= of_.rows && column_ + panel <= of_.columns;
  }
  [[gnu::always_inline]] static void prefetch_row(T* y, bool last_too) {
#pragma GCC unroll 4
    for (int t = 0; t < lines; ++t) __builtin_prefetch(y + t * line);
    if (last_too) __builtin_prefetch(y + panel - 1);
  }

  ScatteredMatrices<T> of_;
  const T* in_;
  T* out_;
  Extent row_ = 0, column_ = 0, matrix_ = 0;
  bool has_more_ = true;
};

/// `steps_ahead`: so many steps before they are used, lines are asked for; 0: never.
template <class T, int lines, bool streams>
void transpose_all(const ScatteredMatrices<T>& of, int steps_ahead, bool are_aligned) {
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
bool begins_with_lines(const ScatteredMatrices<T>& of) {
  Extent places = of.out_step;
  for (Extent i = 0; i < of.rows; ++i) places |= of.row_at[i];
  const auto bytes = static_cast<std::uintptr_t>(places) * sizeof(T);
  return ((bytes | reinterpret_cast<std::uintptr_t>(of.out)) & 63u) == 0;
}

/// How many steps it takes until a line has come, and how wide panels are best, was measured
/// (docs/kernels.md): two lines of the results, which come in pairs; four past the caches. In the
/// second cache asking is only worth it if rows of the results share lines with others.
template <class T>
void transpose(const ScatteredMatrices<T>& of, Reach reach) {
  constexpr Extent line = 64 / static_cast<Extent>(sizeof(T));
  const bool are_aligned = reach != Reach::first && begins_with_lines(of);
  if (reach == Reach::first || (reach == Reach::second && are_aligned)) {
    if (of.columns <= line) return transpose_all<T, 1, false>(of, 0, false);
    return transpose_all<T, 2, false>(of, 0, false);
  }
  if constexpr (vector_bytes == 64)
    if (reach == Reach::streamed && are_aligned) return transpose_all<T, 4, true>(of, 4, true);
  transpose_all<T, 2, false>(of, 3, are_aligned);
}

}  // namespace
}  // namespace blockyard::tensor::detail
