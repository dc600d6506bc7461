// SPDX-License-Identifier: Apache-2.0
// Included only by kernel_body.h, whose rules hold here too.
#pragma once

#include "blockyard/tensor/detail/element_parts.h"

namespace blockyard::tensor::detail {
namespace {

template <class T>
void copy(Extent rows, Extent columns, const T* in, Extent in_ld, T* out, Extent out_ld) {
  if (rows == in_ld && rows == out_ld) {
    rows *= columns;
    columns = 1;
  }
  constexpr int count = Parts<T>::count;
  for (Extent j = 0; j < columns; ++j) {
    const PartOf<T>* x = parts(in + j * in_ld);
    PartOf<T>* y = parts(out + j * out_ld);
    if (rows * count >= 64) {
      __builtin_memcpy(y, x, static_cast<std::size_t>(rows) * sizeof(T));
      continue;
    }
    using R = PartOf<T>;
    change_all(rows * count, x, y, [](Native<R> u, Native<R>) { return u; });
  }
}

/// y = change(x, y) in vectors; the remainder, or all of a short loop, is one masked vector.
template <class R, class Change>
[[gnu::always_inline]] inline void change_all(Extent n, const R* x, R* y, Change change) {
  constexpr Extent width = native_width<R>;
  Extent i = 0;
  for (; i + width <= n; i += width) {
    Native<R> u, v;
    __builtin_memcpy(&u, x + i, sizeof u);
    __builtin_memcpy(&v, y + i, sizeof v);
    v = change(u, v);
    __builtin_memcpy(y + i, &v, sizeof v);
  }
  if (i == n) return;
  const int rest = static_cast<int>(n - i);
  store_first(y + i, change(load_first(x + i, rest), load_first(y + i, rest)), rest);
}

template <class R>
void axpby_real(Extent n, R alpha, const R* x, R beta, R* y) {
  using Vector = Native<R>;
  if (beta == R(0))
    change_all(n, x, y, [&](Vector u, Vector) -> Vector { return alpha * u; });
  else if (beta == R(1))
    change_all(n, x, y, [&](Vector u, Vector v) -> Vector { return v + alpha * u; });
  else
    change_all(n, x, y, [&](Vector u, Vector v) -> Vector { return alpha * u + beta * v; });
}

template <class R>
void axpby_complex(Extent n, const R* alpha, const R* x, const R* beta, R* y) {
  const R ar = alpha[0], ai = alpha[1], br = beta[0], bi = beta[1];
  if (br == R(0) && bi == R(0)) {
#pragma GCC ivdep
    for (Extent i = 0; i < n; ++i) {
      const R xr = x[2 * i], xi = x[2 * i + 1];
      y[2 * i] = ar * xr - ai * xi;
      y[2 * i + 1] = ar * xi + ai * xr;
    }
    return;
  }
#pragma GCC ivdep
  for (Extent i = 0; i < n; ++i) {
    const R xr = x[2 * i], xi = x[2 * i + 1], yr = y[2 * i], yi = y[2 * i + 1];
    y[2 * i] = ar * xr - ai * xi + br * yr - bi * yi;
    y[2 * i + 1] = ar * xi + ai * xr + br * yi + bi * yr;
  }
}

template <class T>
void axpby(Extent rows, Extent columns, T alpha, const T* in, Extent in_ld, T beta, T* out,
           Extent out_ld) {
  if (rows == in_ld && rows == out_ld) {
    rows *= columns;
    columns = 1;
  }
  for (Extent j = 0; j < columns; ++j) {
    const PartOf<T>* x = parts(in + j * in_ld);
    PartOf<T>* y = parts(out + j * out_ld);
    if constexpr (Parts<T>::count == 1)
      axpby_real(rows, alpha, x, beta, y);
    else
      axpby_complex(rows, parts(&alpha), x, parts(&beta), y);
  }
}

}  // namespace
}  // namespace blockyard::tensor::detail
