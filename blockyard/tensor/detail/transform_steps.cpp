// SPDX-License-Identifier: Apache-2.0
#include "blockyard/tensor/detail/transform_steps.h"

#include <algorithm>
#include <utility>

#include "blockyard/tensor/detail/kernels.h"

namespace blockyard::tensor::detail {
namespace {

using Loop = TransformSteps::Loop;
using Kind = TransformSteps::Kind;

/// Makes one loop of neighbours that follow each other in both blocks. Returns how many are left.
int fuse(std::array<Loop, Shape::max_order>& loops, int count) noexcept {
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

/// Moves loop `from` forward to place `to`; the ones between go back by one.
void move_forward(std::array<Loop, Shape::max_order>& loops, int from, int to) noexcept {
  std::rotate(loops.begin() + to, loops.begin() + from, loops.begin() + from + 1);
}

/// Puts the loops that a kernel takes first.
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
    move_forward(steps.loops, both, 0);
  } else if (in_unit >= 0 && out_unit >= 0) {
    steps.kind = Kind::transpose;
    move_forward(steps.loops, in_unit, 0);
    move_forward(steps.loops, out_unit < in_unit ? out_unit + 1 : out_unit, 1);
    // Reading in long runs is worth more than writing in them (docs/kernels.md).
    for (int k = 3; k < steps.count; ++k)
      for (int j = k; j > 2 && steps.loops[j].in_stride < steps.loops[j - 1].in_stride; --j)
        std::swap(steps.loops[j], steps.loops[j - 1]);
  } else {
    steps.kind = Kind::strided;
  }
}

/// Half of a second-level cache: above, lines are asked for before they are used.
constexpr Extent far_bytes = Extent{1} << 20;
/// Above what one core has of the last cache: who uses the result finds it in memory anyway.
constexpr Extent streamed_bytes = Extent{8} << 20;

/// Elements of a transposition that fit the second cache together with the next one.
constexpr Extent most_prefetched = 8192;
/// Transpositions below are over before a line that they ask for comes: they ask for later ones.
constexpr Extent quick_elements = 256;
/// How many elements ahead those ask.
constexpr Extent elements_ahead = 512;
/// The longest side of a matrix that is transposed in one piece.
constexpr Extent small_side = 64;

Reach reach_of(Extent bytes) noexcept {
  if (bytes >= streamed_bytes) return Reach::streamed;
  return bytes > far_bytes ? Reach::far : Reach::near;
}

Extent bytes(const TransformSteps& steps, std::size_t element_bytes) noexcept {
  auto total = static_cast<Extent>(element_bytes);
  for (int k = 0; k < steps.count; ++k) total *= steps.loops[k].extent;
  return total;
}

template <class T>
T conjugated(T x, bool conjugate) noexcept {
  if constexpr (std::same_as<T, Real<T>>)
    return x;
  else
    return conjugate ? std::conj(x) : x;
}

/// One alpha, beta and conjugation for all calls of a kernel.
template <class T>
struct Scaling {
  T alpha;
  T beta;
  bool conjugate;
  Reach reach;
  [[nodiscard]] bool is_copy() const noexcept {
    return alpha == T(1) && beta == T(0) && !conjugate;
  }
};

template <class T>
void run_strided(const Loop& a, const Loop& b, const Scaling<T>& by, const T* in, T* out) noexcept {
  for (Extent j = 0; j < b.extent; ++j)
    for (Extent i = 0; i < a.extent; ++i) {
      const T x = by.alpha * conjugated(in[i * a.in_stride + j * b.in_stride], by.conjugate);
      T& y = out[i * a.out_stride + j * b.out_stride];
      y = by.beta == T(0) ? x : x + by.beta * y;
    }
}

template <class T>
void run_rows(const Kernels<T>& use, const Loop& a, const Loop& b, const Scaling<T>& by,
              const T* in, T* out) noexcept {
  if (by.is_copy())
    use.copy(a.extent, b.extent, in, b.in_stride, out, b.out_stride);
  else if (by.conjugate)
    run_strided(a, b, by, in, out);
  else
    use.axpby(a.extent, b.extent, by.alpha, in, b.in_stride, by.beta, out, b.out_stride);
}

/// Scaled transposition by way of a small buffer that stays in the first cache.
template <class T>
void run_transpose_scaled(const Kernels<T>& use, const Loop& a, const Loop& b, const Scaling<T>& by,
                          const T* in, T* out) noexcept {
  constexpr Extent side = 32;
  alignas(64) std::array<T, side * side> buffer;
  for (Extent i = 0; i < a.extent; i += side)
    for (Extent j = 0; j < b.extent; j += side) {
      const Extent rows = std::min(side, a.extent - i);
      const Extent columns = std::min(side, b.extent - j);
      use.transpose(rows, columns, in + i + j * b.in_stride, b.in_stride, buffer.data(), side,
                    Reach::near);
      const Loop along{columns, 1, 1};
      const Loop across{rows, side, a.out_stride};
      run_rows(use, along, across, by, buffer.data(), out + j + i * a.out_stride);
    }
}

template <class T>
void run_transpose(const Kernels<T>& use, const Loop& a, const Loop& b, const Scaling<T>& by,
                   const T* in, T* out) noexcept {
  if (by.is_copy())
    use.transpose(a.extent, b.extent, in, b.in_stride, out, a.out_stride, by.reach);
  else
    run_transpose_scaled(use, a, b, by, in, out);
}

/// Runs through the settings of the loops from the `first` on.
template <class T>
class OuterLoops {
 public:
  OuterLoops(const TransformSteps& steps, const T* from, T* to, int first = 2) noexcept
      : in(from), out(to), steps_(steps), first_(first) {}
  /// False after the last setting.
  bool advance() noexcept {
    for (int k = first_; k < steps_.count; ++k) {
      const Loop& loop = steps_.loops[k];
      in += loop.in_stride;
      out += loop.out_stride;
      if (++at_[k] < loop.extent) return true;
      at_[k] = 0;
      in -= loop.extent * loop.in_stride;
      out -= loop.extent * loop.out_stride;
    }
    return false;
  }
  const T* in;
  T* out;

 private:
  const TransformSteps& steps_;
  int first_;
  std::array<Extent, Shape::max_order> at_{};
};

/// Calls body(in, out) for each setting of the outer loops.
template <class T, class Body>
void for_outer_loops(const TransformSteps& steps, const T* in, T* out, Body body) noexcept {
  OuterLoops<T> loops(steps, in, out);
  do body(loops.in, loops.out);
  while (loops.advance());
}

/// Asks for the lines of a small matrix: `ld` from column to column.
template <bool to_write, class T>
void prefetch(Extent rows, Extent columns, Extent ld, const T* x) noexcept {
  constexpr Extent line = 64 / static_cast<Extent>(sizeof(T));
  for (Extent j = 0; j < columns; ++j)
    for (Extent i = 0; i < rows; i += line) __builtin_prefetch(x + i + j * ld, to_write ? 1 : 0, 2);
}

/// Small transpositions of a far block: while one runs, the lines of a later one are on their way.
template <class T>
void run_far_transposes(const Kernels<T>& use, const TransformSteps& steps, const Scaling<T>& by,
                        const T* in, T* out) noexcept {
  const Loop& a = steps.loops[0];
  const Loop& b = steps.loops[1];
  Scaling<T> here = by;  // what it asks for itself would come too late
  if (by.reach == Reach::far) here.reach = Reach::near;
  OuterLoops<T> now(steps, in, out), later(steps, in, out);
  bool has_later = true;
  for (Extent n = a.extent * b.extent; has_later && n < elements_ahead; n += a.extent * b.extent)
    has_later = later.advance();
  do {
    has_later = has_later && later.advance();
    if (has_later) {
      prefetch<false>(a.extent, b.extent, b.in_stride, later.in);
      if (by.reach == Reach::far) prefetch<true>(b.extent, a.extent, a.out_stride, later.out);
    }
    run_transpose(use, a, b, here, now.in, now.out);
  } while (now.advance());
}

/// Small transpositions of a near block: the kernel runs the third loop, too.
template <class T>
void run_near_transposes(const Kernels<T>& use, const TransformSteps& steps, const T* in,
                         T* out) noexcept {
  const Loop& a = steps.loops[0];
  const Loop& b = steps.loops[1];
  const Loop& c = steps.loops[2];
  OuterLoops<T> loops(steps, in, out, 3);
  do
    use.transpose_many({a.extent, b.extent, c.extent, loops.in, b.in_stride, c.in_stride, loops.out,
                        a.out_stride, c.out_stride});
  while (loops.advance());
}

template <class T>
void run_transposes(const Kernels<T>& use, const TransformSteps& steps, const Scaling<T>& by,
                    const T* in, T* out) noexcept {
  const Loop& a = steps.loops[0];
  const Loop& b = steps.loops[1];
  const Extent elements = a.extent * b.extent;
  const bool is_small = std::max(a.extent, b.extent) <= small_side;
  if (by.reach == Reach::near && by.is_copy() && is_small && steps.count > 2)
    return run_near_transposes(use, steps, in, out);
  if ((by.reach == Reach::streamed && elements <= most_prefetched) ||
      (by.reach == Reach::far && elements <= quick_elements))
    run_far_transposes(use, steps, by, in, out);
  else
    for_outer_loops(steps, in, out, [&](const T* x, T* y) { run_transpose(use, a, b, by, x, y); });
  if (by.reach == Reach::streamed) use.finish_streams();
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
    int place = steps.count++;
    for (; place > 0 && steps.loops[place - 1].out_stride > loop.out_stride; --place)
      steps.loops[place] = steps.loops[place - 1];
    steps.loops[place] = loop;
  }
  steps.count = fuse(steps.loops, steps.count);
  choose_kernel(steps);
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
  const Scaling<T> by{alpha, beta, conjugate && !std::same_as<T, Real<T>>,
                      reach_of(bytes(steps, sizeof(T)))};
  const Loop& a = steps.loops[0];
  const Loop& b = steps.loops[1];
  switch (steps.kind) {
    case Kind::rows:
      return for_outer_loops(steps, in, out,
                             [&](const T* x, T* y) { run_rows(use, a, b, by, x, y); });
    case Kind::transpose:
      return run_transposes(use, steps, by, in, out);
    case Kind::strided:
      return for_outer_loops(steps, in, out,
                             [&](const T* x, T* y) { run_strided(a, b, by, x, y); });
  }
}

template void run_transform<float>(const TransformSteps&, float, const float*, float, float*,
                                   bool) noexcept;
template void run_transform<double>(const TransformSteps&, double, const double*, double, double*,
                                    bool) noexcept;
template void run_transform<c64>(const TransformSteps&, c64, const c64*, c64, c64*, bool) noexcept;
template void run_transform<c128>(const TransformSteps&, c128, const c128*, c128, c128*,
                                  bool) noexcept;

}  // namespace blockyard::tensor::detail
