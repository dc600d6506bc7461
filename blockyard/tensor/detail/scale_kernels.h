// SPDX-License-Identifier: Apache-2.0
// Included only by kernel_body.h, whose rules hold here too.
#pragma once

#include <cstdint>

#include "blockyard/tensor/detail/element_parts.h"
#include "blockyard/tensor/detail/kernels.h"
#include "blockyard/tensor/detail/sum_kernels.h"

namespace blockyard::tensor::detail {
namespace {

/// Whether `n` numbers from y on are best written past the caches: they are too many to be cached
/// for their next use, and a store would read them first.
template <class R>
[[nodiscard]] bool passes_caches(Extent n, const R* y) {
  constexpr Extent streamed_bytes = Extent{8} << 20;
  return n * static_cast<Extent>(sizeof(R)) >= streamed_bytes &&
         reinterpret_cast<std::uintptr_t>(y) % vector_bytes == 0;
}

/// y[i] = make(i, all or the first lanes) in vectors; the remainder, or all of a short loop, is one
/// masked vector.
template <class R, class Whole, class Rest>
[[gnu::always_inline]] inline void set_all(Extent n, R* y, bool may_stream, Whole whole,
                                           Rest rest) {
  constexpr Extent width = native_width<R>;
  Extent i = 0;
  if (may_stream && passes_caches(n, y)) {
    for (; i + width <= n; i += width) stream(y + i, whole(i));
    finish_streams();
  }
  const auto set = [&](Extent at) __attribute__((always_inline)) {
    const Native<R> v = whole(at);
    __builtin_memcpy(y + at, &v, sizeof v);
  };
  constexpr Extent at_once = 4;  // so that counting does not cost more than the store
  for (; i + at_once * width <= n; i += at_once * width)
#pragma GCC unroll 4
    for (Extent v = 0; v < at_once; ++v) set(i + v * width);
  for (; i + width <= n; i += width) set(i);
  if (i < n) {
    const int some = static_cast<int>(n - i);
    store_first(y + i, rest(i, some), some);
  }
}

/// y = change(x, y).
template <class R, class Change>
[[gnu::always_inline]] inline void change_all(Extent n, const R* x, R* y, Change change) {
  set_all(
      n, y, false, [&](Extent i) { return change(load_whole(x + i), load_whole(y + i)); },
      [&](Extent i, int some) { return change(load_first(x + i, some), load_first(y + i, some)); });
}

template <class R>
constexpr std::make_integer_sequence<int, native_width<R>> all_lanes{};

/// Numbers in turn, as often as they fit. Built in registers: written one by one to memory they
/// would take longer than a short block.
template <class R, int... lane>
Native<R> in_turn(R even, R odd, std::integer_sequence<int, lane...>) {
  return Native<R>{(lane % 2 == 0 ? even : odd)...};
}

/// Products of the numbers in a vector with one number.
template <class T>
class Times {
 public:
  using R = PartOf<T>;
  explicit Times(const T& value) {
    const R real = parts(&value)[0], imaginary = parts(&value)[Parts<T>::count - 1];
    like_ = in_turn(real, real, all_lanes<R>);
    unlike_ = in_turn(-imaginary, imaginary, all_lanes<R>);
  }
  [[gnu::always_inline]] Native<R> operator()(Native<R> x) const {
    if constexpr (Parts<T>::count == 1)
      return like_ * x;
    else
      return like_ * x + unlike_ * exchange_parts<R>(x, all_lanes<R>);
  }

 private:
  Native<R> like_, unlike_;
};

template <class T>
bool is_real(const T& value) {
  return Parts<T>::count == 1 || parts(&value)[Parts<T>::count - 1] == PartOf<T>(0);
}

template <class T>
bool is_real_number(const T& value, PartOf<T> number) {
  return parts(&value)[0] == number && is_real(value);
}

template <class T>
void axpby_run(Extent count, const T& alpha, const T* in, const T& beta, T* out) {
  if constexpr (Parts<T>::count == 2)
    if (is_real(alpha) && is_real(beta))
      return axpby_run(2 * count, parts(&alpha)[0], parts(in), parts(&beta)[0], parts(out));
  using R = PartOf<T>;
  using Vector = Native<R>;
  const R* x = parts(in);
  R* y = parts(out);
  const Extent n = count * Parts<T>::count;
  const Times<T> by_alpha(alpha), by_beta(beta);
  if (is_real_number(beta, R(0)))
    set_all(
        n, y, in != out, [&](Extent i) { return by_alpha(load_whole(x + i)); },
        [&](Extent i, int some) { return by_alpha(load_first(x + i, some)); });
  else if (is_real_number(beta, R(1)))
    change_all(n, x, y, [&](Vector u, Vector v) -> Vector { return v + by_alpha(u); });
  else
    change_all(n, x, y, [&](Vector u, Vector v) -> Vector { return by_alpha(u) + by_beta(v); });
}

template <class T>
void axpby(Extent rows, Extent columns, T alpha, const T* in, Extent in_ld, T beta, T* out,
           Extent out_ld) {
  if (rows == in_ld && rows == out_ld) {
    rows *= columns;
    columns = 1;
  }
  for (Extent j = 0; j < columns; ++j)
    axpby_run(rows, alpha, in + j * in_ld, beta, out + j * out_ld);
}

}  // namespace
}  // namespace blockyard::tensor::detail
