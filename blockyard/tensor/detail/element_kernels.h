// SPDX-License-Identifier: Apache-2.0
// Included only by kernel_body.h, whose rules hold here too.
#pragma once

#include "blockyard/tensor/detail/scale_kernels.h"

namespace blockyard::tensor::detail {
namespace {

/// The parts of a value side by side, as often as they fit.
template <class T>
Native<PartOf<T>> repeated(const T& value) {
  using R = PartOf<T>;
  Native<R> v;
  for (int i = 0; i < native_width<R>; ++i) v[i] = parts(&value)[i % Parts<T>::count];
  return v;
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
                                                                 Native<PartOf<T>> y,
                                                                 const Times<T>& by_i) {
  using R = PartOf<T>;
  if constexpr (Parts<T>::count == 1)
    return x * y;
  else
    return real_parts<R>(x, all_lanes<R>) * y + imaginary_parts<R>(x, all_lanes<R>) * by_i(y);
}

template <class T>
void product(Extent count, T alpha, const T* left, const T* right, T beta, T* out) {
  using R = PartOf<T>;
  using Vector = Native<R>;
  const R* x = parts(left);
  const R* y = parts(right);
  R* z = parts(out);
  T imaginary_unit{};
  parts(&imaginary_unit)[Parts<T>::count - 1] = R(1);
  const Times<T> by_alpha(alpha), by_beta(beta), by_i(imaginary_unit);
  const auto made = [&](Vector u, Vector v) __attribute__((always_inline))->Vector {
    return multiply_numbers<T>(by_alpha(u), v, by_i);
  };
  const Extent n = count * Parts<T>::count;
  if (is_real_number(beta, R(0)))
    set_all(
        n, z, true, [&](Extent i) { return made(load_whole(x + i), load_whole(y + i)); },
        [&](Extent i, int some) { return made(load_first(x + i, some), load_first(y + i, some)); });
  else
    set_all(
        n, z, false,
        [&](Extent i) -> Vector {
          return made(load_whole(x + i), load_whole(y + i)) + by_beta(load_whole(z + i));
        },
        [&](Extent i, int some) -> Vector {
          return made(load_first(x + i, some), load_first(y + i, some)) +
                 by_beta(load_first(z + i, some));
        });
}

}  // namespace
}  // namespace blockyard::tensor::detail
