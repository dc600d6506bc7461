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
#pragma GCC ivdep
    for (Extent i = 0; i < rows * count; ++i) y[i] = x[i];
  }
}

template <class R>
void axpby_real(Extent n, R alpha, const R* x, R beta, R* y) {
  if (beta == R(0)) {
#pragma GCC ivdep
    for (Extent i = 0; i < n; ++i) y[i] = alpha * x[i];
  } else if (beta == R(1)) {
#pragma GCC ivdep
    for (Extent i = 0; i < n; ++i) y[i] += alpha * x[i];
  } else {
#pragma GCC ivdep
    for (Extent i = 0; i < n; ++i) y[i] = alpha * x[i] + beta * y[i];
  }
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
