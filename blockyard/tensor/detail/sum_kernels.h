// SPDX-License-Identifier: Apache-2.0
// Included only by kernel_body.h, whose rules hold here too.
#pragma once

#include <utility>

#include "blockyard/tensor/detail/element_parts.h"

namespace blockyard::tensor::detail {
namespace {

/// Numbers are summed in `lanes` partial sums side by side, the same on every processor.
template <class R>
constexpr int lanes = 256 / static_cast<int>(sizeof(R));

/// The partial sums: lane j has what stands at j, j + lanes, ...
template <class R>
class PartialSums {
 public:
  static constexpr int width = native_width<R>;
  static constexpr int vectors = lanes<R> / width;

  [[gnu::always_inline]] void add(int v, Native<R> x) { sum_[v] += x; }
  [[gnu::always_inline]] void add_product(int v, Native<R> x, Native<R> y) { sum_[v] += x * y; }

  /// Halves the lanes down to `parts`, which it gives in `total`.
  void fold(int parts, R* total) const {
    R partial[lanes<R>];
    __builtin_memcpy(partial, sum_, sizeof partial);
    for (int half = lanes<R> / 2; half >= parts; half /= 2)
      for (int j = 0; j < half; ++j) partial[j] += partial[j + half];
    for (int p = 0; p < parts; ++p) total[p] = partial[p];
  }

 private:
  Native<R> sum_[vectors] = {};
};

/// Calls take(v, place, count) for all vectors of n numbers; only the last ones are not whole.
template <class R, class Whole, class Rest>
[[gnu::always_inline]] inline void for_vectors(Extent n, Whole whole, Rest rest) {
  constexpr int width = native_width<R>, vectors = PartialSums<R>::vectors;
  Extent i = 0;
  for (; i + lanes<R> <= n; i += lanes<R>)
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) whole(v, i + v * width);
  for (int v = 0; i < n; ++v, i += width)
    rest(v, i, static_cast<int>(n - i < width ? n - i : width));
}

template <class R>
[[gnu::always_inline]] inline Native<R> load_whole(const R* x) {
  Native<R> v;
  __builtin_memcpy(&v, x, sizeof v);
  return v;
}

template <class T>
T sum(Extent count, const T* values) {
  using R = PartOf<T>;
  const R* x = parts(values);
  PartialSums<R> sums;
  for_vectors<R>(
      count * Parts<T>::count,
      [&](int v, Extent i) __attribute__((always_inline)) { sums.add(v, load_whole(x + i)); },
      [&](int v, Extent i, int some) { sums.add(v, load_first(x + i, some)); });
  T total;
  sums.fold(Parts<T>::count, parts(&total));
  return total;
}

template <class R>
R dot_real(Extent n, const R* x, const R* y) {
  PartialSums<R> sums;
  for_vectors<R>(
      n,
      [&](int v, Extent i) __attribute__((always_inline)) {
        sums.add_product(v, load_whole(x + i), load_whole(y + i));
      },
      [&](int v, Extent i, int some) {
        sums.add_product(v, load_first(x + i, some), load_first(y + i, some));
      });
  R total;
  sums.fold(1, &total);
  return total;
}

/// Real and imaginary parts change places.
template <class R, int... lane>
[[gnu::always_inline]] inline Native<R> exchange_parts(Native<R> v,
                                                       std::integer_sequence<int, lane...>) {
  return __builtin_shufflevector(v, v, (lane ^ 1)...);
}

/// Products of like parts stand in one set of sums, of unlike parts in another: their signs come in
/// at the end.
template <class R, bool conjugate>
void dot_complex(Extent n, const R* x, const R* y, R* total) {
  constexpr std::make_integer_sequence<int, native_width<R>> all{};
  PartialSums<R> like, unlike;
  const auto add = [&](int v, Native<R> a, Native<R> b) __attribute__((always_inline)) {
    like.add_product(v, a, b);
    unlike.add_product(v, a, exchange_parts<R>(b, all));
  };
  for_vectors<R>(
      n,
      [&](int v, Extent i)
          __attribute__((always_inline)) { add(v, load_whole(x + i), load_whole(y + i)); },
      [&](int v, Extent i, int some) { add(v, load_first(x + i, some), load_first(y + i, some)); });
  R re[2], im[2];
  like.fold(2, re);
  unlike.fold(2, im);
  total[0] = conjugate ? re[0] + re[1] : re[0] - re[1];
  total[1] = conjugate ? im[0] - im[1] : im[0] + im[1];
}

template <class T, bool conjugate>
T any_dot(Extent n, const T* x, const T* y) {
  if constexpr (Parts<T>::count == 1) {
    return dot_real(n, x, y);
  } else {
    T total;
    dot_complex<PartOf<T>, conjugate>(2 * n, parts(x), parts(y), parts(&total));
    return total;
  }
}

}  // namespace
}  // namespace blockyard::tensor::detail
