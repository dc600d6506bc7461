// SPDX-License-Identifier: Apache-2.0
#include "blockyard/tensor/detail/transform_steps.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "blockyard/tensor/detail/kernels.h"
#include "blockyard/tensor/detail/loop_walk.h"

namespace blockyard::tensor::detail {
namespace {

using Loop = TransformSteps::Loop;
using Kind = TransformSteps::Kind;
using Side = TransformSteps::Side;
using Loops = TransformSteps::Loops;

/// Makes one loop of neighbours that follow each other in both blocks. Returns how many are left.
int fuse(Loops& loops, int count) noexcept {
  int last = 0;
  for (int k = 1; k < count; ++k) {
    Loop& a = loops[last];
    const Loop& b = loops[k];
    if (b.in_stride == a.in_stride * a.extent && b.out_stride == a.out_stride * a.extent)
      a.extent *= b.extent;
    else
      loops[++last] = b;
  }
  return std::min(count, last + 1);
}

/// Looks for elements that stay together: the first loops that reach as far in the operand as in
/// the result. More loops than it takes only up to 16 elements, which fit the vectors of most
/// types.
void find_turn(TransformSteps& steps) noexcept {
  constexpr Extent few = 16;
  std::int32_t* const from = steps.turn_from;
  Extent extent = 1, last = 0;
  from[0] = 0;
  for (int k = 0; k < steps.count && steps.loops[k].out_stride == extent; ++k) {
    const Loop& loop = steps.loops[k];
    const Extent most = steps.group.extent > 0 ? few : Turn::most;
    last += (loop.extent - 1) * loop.in_stride;
    if (extent * loop.extent > most || last >= most) break;
    for (Extent i = extent; i < extent * loop.extent; ++i)
      from[i] = static_cast<std::int32_t>(from[i - extent] + loop.in_stride);
    extent *= loop.extent;
    if (k == 0 || last + 1 != extent) continue;
    steps.group = {static_cast<int>(extent), k + 1};
    if (extent <= Turn::fits_all) steps.small_group = steps.group;
  }
  if (steps.group.extent == 0) return;
  std::fill(from + extent, from + Turn::most, 0);
  std::copy_n(steps.loops.begin(), steps.count, steps.loops_of_turn.begin());
  steps.loops_of_turn_count = steps.count;
}

/// How many settings of a loop a side of `before` elements takes: all, or a piece that fills cache
/// lines best, the largest of these.
Extent piece_of(Extent before, Extent extent) noexcept {
  const Extent most = std::min(extent, Side::most / before);
  if (most == extent) return extent;
  Extent best = most;
  const auto filling = [&](Extent piece) { return std::gcd(before * piece, Extent{16}); };
  for (Extent piece = most; 2 * piece > most; --piece)
    if (filling(piece) > filling(best)) best = piece;
  return best;
}

/// Makes the two sides of the matrices to transpose, as long as indexes follow each other.
class SideMaker {
 public:
  explicit SideMaker(TransformSteps& steps) noexcept : steps_(steps) {}

  /// Takes loops away from `steps` and puts those over pieces in.
  void run() noexcept {
    steps_.rows.at[0] = steps_.columns.at[0] = 0;
    bool is_growing = true;
    while (is_growing) {
      // Where both sides could have an index, it goes to the one that fills vectors worse.
      const bool rows_first = filled(steps_.rows) <= filled(steps_.columns);
      is_growing = grow(rows_first) || grow(!rows_first);
    }
    for (int k = 0; k < pieces_; ++k) {
      steps_.loops[steps_.count] = piece_loops_[k];
      side(is_row_piece_[k]).cut_loop = steps_.count++;
    }
  }

 private:
  Side& side(bool is_rows) noexcept { return is_rows ? steps_.rows : steps_.columns; }
  /// Per cent of whole vectors that a side fills.
  static Extent filled(const Side& of) noexcept {
    return 100 * of.extent / ((of.extent + 7) / 8 * 8);
  }

  /// False without an index to take or without room.
  bool grow(bool is_rows) noexcept {
    Side& of = side(is_rows);
    bool& is_cut = is_rows ? rows_cut_ : columns_cut_;
    if (is_cut || 2 * of.extent > Side::most) return false;
    for (int k = 0; k < steps_.count; ++k) {
      const Loop loop = steps_.loops[k];
      if ((is_rows ? loop.in_stride : loop.out_stride) != of.extent) continue;
      const Extent piece = piece_of(of.extent, loop.extent);
      std::copy(steps_.loops.begin() + k + 1, steps_.loops.begin() + steps_.count,
                steps_.loops.begin() + k);
      --steps_.count;
      is_cut = piece < loop.extent;
      if (is_cut) cut(is_rows, loop, piece);
      extend(of, piece, is_rows ? loop.out_stride : loop.in_stride);
      return true;
    }
    return false;
  }
  void cut(bool is_rows, const Loop& loop, Extent piece) noexcept {
    Side& of = side(is_rows);
    const Extent pieces = (loop.extent + piece - 1) / piece;
    of.last_extent = of.extent * (loop.extent - (pieces - 1) * piece);
    is_row_piece_[pieces_] = is_rows;
    piece_loops_[pieces_++] = {pieces, piece * loop.in_stride, piece * loop.out_stride};
  }
  static void extend(Side& of, Extent times, Extent stride) noexcept {
    const auto before = static_cast<std::size_t>(of.extent);
    for (std::size_t n = before; n < before * static_cast<std::size_t>(times); ++n)
      of.at[n] = of.at[n - before] + stride;
    of.extent *= times;
  }

  TransformSteps& steps_;
  bool rows_cut_ = false, columns_cut_ = false;
  std::array<Loop, 2> piece_loops_{};
  std::array<bool, 2> is_row_piece_{};
  int pieces_ = 0;
};

/// The loops around matrices go through the operand: reading in long runs is worth more than
/// writing in them (docs/kernels.md).
void sort_by_operand(TransformSteps& steps) noexcept {
  for (int k = 1; k < steps.count; ++k)
    for (int j = k; j > 0 && steps.loops[j].in_stride < steps.loops[j - 1].in_stride; --j) {
      std::swap(steps.loops[j], steps.loops[j - 1]);
      for (Side* const side : {&steps.rows, &steps.columns})
        if (side->cut_loop == j || side->cut_loop == j - 1)
          side->cut_loop = side->cut_loop == j ? j - 1 : j;
    }
}

/// Decides what a kernel does, and puts the loops that it takes first.
void choose_kernel(TransformSteps& steps) noexcept {
  int in_unit = -1, out_unit = -1, both = -1;
  for (int k = 0; k < steps.count; ++k) {
    const bool in = steps.loops[k].in_stride == 1;
    const bool out = steps.loops[k].out_stride == 1;
    if (in && out && both < 0) both = k;
    if (in && in_unit < 0) in_unit = k;
    if (out && out_unit < 0) out_unit = k;
  }
  if (both >= 0) {
    steps.kind = Kind::rows;
    std::rotate(steps.loops.begin(), steps.loops.begin() + both, steps.loops.begin() + both + 1);
  } else if (in_unit >= 0 && out_unit >= 0) {
    steps.kind = Kind::transpose;
    SideMaker(steps).run();
    sort_by_operand(steps);
  } else {
    steps.kind = Kind::strided;
  }
}

/// Half of a first-level cache, for there are two blocks.
constexpr Extent second_bytes = Extent{24} << 10;
/// Half of a second-level cache: from there on, lines are asked for before they are used.
constexpr Extent far_bytes = Extent{1} << 20;
/// Above what one core has of the last cache: the next use of the result reads memory anyway.
constexpr Extent streamed_bytes = Extent{8} << 20;

Reach reach_of(Extent bytes) noexcept {
  if (bytes >= streamed_bytes) return Reach::streamed;
  if (bytes >= far_bytes) return Reach::far;
  return bytes >= second_bytes ? Reach::second : Reach::first;
}

template <class T>
T conjugated(T x, bool conjugate) noexcept {
  if constexpr (std::same_as<T, Real<T>>)
    return x;
  else
    return conjugate ? std::conj(x) : x;
}

/// An infinity times the zero imaginary part of a factor is no NaN.
template <class T>
T scaled(const T& factor, const T& x) noexcept {
  if constexpr (!std::same_as<T, Real<T>>)
    if (factor.imag() == 0) return {factor.real() * x.real(), factor.real() * x.imag()};
  return factor * x;
}

/// One alpha, beta and conjugation for all calls of a kernel.
template <class T>
struct Scaling {
  T alpha;
  T beta;
  bool conjugate;
};

template <class T>
void run_strided(const Loop& a, const Loop& b, const Scaling<T>& by, const T* in, T* out) noexcept {
  for (Extent j = 0; j < b.extent; ++j)
    for (Extent i = 0; i < a.extent; ++i) {
      const T x = scaled(by.alpha, conjugated(in[i * a.in_stride + j * b.in_stride], by.conjugate));
      T& y = out[i * a.out_stride + j * b.out_stride];
      y = by.beta == T(0) ? x : x + scaled(by.beta, y);
    }
}

/// Of bits, which may be of integers: a product would alter those that look like signalling NaNs.
template <class T>
void copy_strided(const Loop& a, const Loop& b, const T* in, T* out) noexcept {
  for (Extent j = 0; j < b.extent; ++j)
    for (Extent i = 0; i < a.extent; ++i)
      out[i * a.out_stride + j * b.out_stride] = in[i * a.in_stride + j * b.in_stride];
}

template <class T>
void run_rows(const Kernels<T>& use, const Loop& a, const Loop& b, const Scaling<T>& by,
              const T* in, T* out) noexcept {
  if (by.conjugate)
    run_strided(a, b, by, in, out);
  else
    use.axpby(a.extent, b.extent, by.alpha, in, b.in_stride, by.beta, out, b.out_stride);
}

/// Scaled transposition of a matrix by way of a small buffer that stays in the first cache.
template <class T>
void transpose_scaled(const Kernels<T>& use, const Side& rows, const Side& columns,
                      const LoopWalk<T>& now, const Scaling<T>& by) noexcept {
  constexpr Extent most = 32;
  alignas(64) std::array<T, most * most> buffer;
  Side some_rows, some_columns;
  for (Extent i = 0; i < now.extent(rows); i += most)
    for (Extent j = 0; j < now.extent(columns); j += most) {
      some_rows.extent = std::min(most, now.extent(rows) - i);
      some_columns.extent = std::min(most, now.extent(columns) - j);
      for (Extent row = 0; row < some_rows.extent; ++row) some_rows.at[row] = row * most;
      std::copy_n(columns.at + j, some_columns.extent, some_columns.at);
      use.transpose(some_rows, some_columns, nullptr, 0, now.in + i, buffer.data(), Reach::first);
      for (Extent row = 0; row < some_rows.extent; ++row)
        run_rows(use, {some_columns.extent, 1, 1}, {1, 0, 0}, by, buffer.data() + row * most,
                 now.out + rows.at[i + row] + j);
    }
}

}  // namespace

TransformSteps plan_transform(std::span<const Extent> in_extents, const Strides& in_strides,
                              std::span<const int> to, const Strides& out_strides) noexcept {
  TransformSteps steps;
  steps.count = 0;
  for (std::size_t k = 0; k < to.size(); ++k) {
    const auto from = static_cast<std::size_t>(to[k]);
    if (in_extents[from] == 1) continue;
    Loop loop{in_extents[from], in_strides[from], out_strides[k]};
    steps.elements *= loop.extent;
    int place = steps.count++;
    for (; place > 0 && steps.loops[place - 1].out_stride > loop.out_stride; --place)
      steps.loops[place] = steps.loops[place - 1];
    steps.loops[place] = loop;
  }
  steps.count = fuse(steps.loops, steps.count);
  find_turn(steps);
  choose_kernel(steps);
  if (steps.kind == Kind::transpose) return steps;
  if (steps.count == 0) {
    steps.kind = Kind::rows;
    steps.loops[0] = {1, 1, 1};
  }
  for (int k = std::max(steps.count, 1); k < 2; ++k) steps.loops[k] = {1, 0, 0};
  steps.count = std::max(steps.count, 2);
  return steps;
}

template <Element T>
void run_transform(const TransformSteps& steps, T alpha, const T* in, T beta, T* out,
                   bool conjugate) noexcept {
  const Kernels<T>& use = kernels<T>();
  const Scaling<T> by{alpha, beta, conjugate && !std::same_as<T, Real<T>>};
  const Reach reach = reach_of(steps.elements * static_cast<Extent>(sizeof(T)));
  const Loop& a = steps.loops[0];
  const Loop& b = steps.loops[1];
  const bool is_copy = alpha == T(1) && beta == T(0) && !by.conjugate;
  const auto& group = steps.group.extent <= use.most_turned ? steps.group : steps.small_group;
  const bool turns = group.extent > 0 && group.extent <= use.most_turned;
  if (is_copy && (turns || steps.kind != Kind::strided)) {
    if (turns)
      use.turn({group.extent, steps.turn_from}, steps.loops_of_turn.data() + group.loops,
               std::max(steps.loops_of_turn_count - group.loops, 1), in, out, reach);
    else if (steps.kind == Kind::rows)
      use.copy(steps.loops.data(), steps.count, in, out, reach);
    else
      use.transpose(steps.rows, steps.columns, steps.loops.data(), steps.count, in, out, reach);
    if (reach == Reach::streamed) use.finish_streams();
    return;
  }
  const int first = steps.kind == Kind::transpose ? 0 : 2;
  LoopWalk<T> now(steps.loops.data(), steps.count, first, in, out);
  do {
    if (steps.kind == Kind::transpose)
      transpose_scaled(use, steps.rows, steps.columns, now, by);
    else if (steps.kind == Kind::rows)
      run_rows(use, a, b, by, now.in, now.out);
    else if (is_copy)
      copy_strided(a, b, now.in, now.out);
    else
      run_strided(a, b, by, now.in, now.out);
  } while (now.advance());
}

template void run_transform<float>(const TransformSteps&, float, const float*, float, float*,
                                   bool) noexcept;
template void run_transform<double>(const TransformSteps&, double, const double*, double, double*,
                                    bool) noexcept;
template void run_transform<c64>(const TransformSteps&, c64, const c64*, c64, c64*, bool) noexcept;
template void run_transform<c128>(const TransformSteps&, c128, const c128*, c128, c128*,
                                  bool) noexcept;

}  // namespace blockyard::tensor::detail
