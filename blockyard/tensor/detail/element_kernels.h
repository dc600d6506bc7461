// SPDX-License-Identifier: Apache-2.0
// Included only by kernel_body.h, whose rules hold here too.
#pragma once

#include "blockyard/tensor/detail/scale_kernels.h"

namespace blockyard::tensor::detail {
namespace {

/// The parts of a value side by side, as often as they fit.
template <class T>
Native<PartOf<T>> repeated(const T& value) {
  return in_turn(parts(&value)[0], parts(&value)[Parts<T>::count - 1], all_lanes<PartOf<T>>);
}

template <class R, int... lane>
[[gnu::always_inline]] inline Native<R> real_parts(Native<R> v,
                                                   std::integer_sequence<int, lane...>) {
  return __builtin_shufflevector(v, v, (lane & ~1)...);
}
template <class R, int... lane>
[[gnu::always_inline]] inline Native<R> imaginary_parts(Native<R> v,
                                                        std::integer_sequence<int, lane...>) {
  return __builtin_shufflevector(v, v, (lane | 1)...);
}
template <class T>
void fill(Extent count, T value, T* out) {
  using R = PartOf<T>;
  const Native<R> v = repeated(value);
  set_all(
      count * Parts<T>::count, parts(out), true, [&](Extent) { return v; },
      [&](Extent, int) { return v; });
}

template <class T>
void add_scalar(Extent count, T value, T* out) {
  using Vector = Native<PartOf<T>>;
  const Vector v = repeated(value);
  const auto* x = parts(out);
  change_all(count * Parts<T>::count, x, parts(out),
             [&](Vector u, Vector) -> Vector { return u + v; });
}

/// The products of numbers in the same places of two vectors.
template <class T>
[[gnu::always_inline]] inline Native<PartOf<T>> multiply_numbers(Native<PartOf<T>> x,
                                                                 Native<PartOf<T>> y) {
  using R = PartOf<T>;
  if constexpr (Parts<T>::count == 1)
    return x * y;
  else
    return subtract_add(
        real_parts<R>(x, all_lanes<R>), y,
        Native<R>(imaginary_parts<R>(x, all_lanes<R>) * exchange_parts<R>(y, all_lanes<R>)));
}

/// z[i] = made(x[i], y[i]) + beta * z[i]
template <class T, class Made>
[[gnu::always_inline]] inline void product_run(Extent n, const PartOf<T>* x, const PartOf<T>* y,
                                               const T& beta, PartOf<T>* z, Made made) {
  using R = PartOf<T>;
  const Times<T> by_beta(beta);
  if (is_real_number(beta, R(0)))
    set_all(
        n, z, true, [&](Extent i) { return made(load_whole(x + i), load_whole(y + i)); },
        [&](Extent i, int some) { return made(load_first(x + i, some), load_first(y + i, some)); });
  else
    set_all(
        n, z, false,
        [&](Extent i) -> Native<R> {
          return made(load_whole(x + i), load_whole(y + i)) + by_beta(load_whole(z + i));
        },
        [&](Extent i, int some) -> Native<R> {
          return made(load_first(x + i, some), load_first(y + i, some)) +
                 by_beta(load_first(z + i, some));
        });
}

template <class T>
void product(Extent count, T alpha, const T* left, const T* right, T beta, T* out) {
  using R = PartOf<T>;
  using Vector = Native<R>;
  const Extent n = count * Parts<T>::count;
  if (is_real_number(alpha, R(1)))
    return product_run(
        n, parts(left), parts(right), beta, parts(out),
        [](Vector u, Vector v) __attribute__((always_inline))->Vector {
          return multiply_numbers<T>(u, v);
        });
  const Times<T> by_alpha(alpha);
  product_run(
      n, parts(left), parts(right), beta,
      parts(out), [&](Vector u, Vector v) __attribute__((always_inline))->Vector {
        return multiply_numbers<T>(by_alpha(u), v);
      });
}

}  // namespace
}  // namespace blockyard::tensor::detail
