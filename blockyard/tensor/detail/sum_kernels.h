// SPDX-License-Identifier: Apache-2.0
// Included only by kernel_body.h, whose rules hold here too.
#pragma once

#include "blockyard/tensor/detail/element_parts.h"

namespace blockyard::tensor::detail {
namespace {

/// Sums in `lanes` interleaved partial sums, so that the order does not depend on the processor.
constexpr int lanes = 16;

template <class R>
R add_lanes(const R* partial, int count, int step) {
  R total = 0;
  for (int j = 0; j < count; j += step) total += partial[j];
  return total;
}

template <class T>
T sum(Extent count, const T* values) {
  using R = PartOf<T>;
  const Extent n = count * Parts<T>::count;
  const R* x = parts(values);
  R partial[lanes] = {};
  Extent i = 0;
  for (; i + lanes <= n; i += lanes)
    for (int j = 0; j < lanes; ++j) partial[j] += x[i + j];
  for (int j = 0; i + j < n; ++j) partial[j] += x[i + j];
  T total;
  for (int p = 0; p < Parts<T>::count; ++p)
    parts(&total)[p] = add_lanes(partial + p, lanes - p, Parts<T>::count);
  return total;
}

template <class R>
R dot_real(Extent n, const R* x, const R* y) {
  R partial[lanes] = {};
  Extent i = 0;
  for (; i + lanes <= n; i += lanes)
    for (int j = 0; j < lanes; ++j) partial[j] += x[i + j] * y[i + j];
  for (int j = 0; i + j < n; ++j) partial[j] += x[i + j] * y[i + j];
  return add_lanes(partial, lanes, 1);
}

template <class T, bool conjugate>
T any_dot(Extent n, const T* x, const T* y) {
  using R = PartOf<T>;
  if constexpr (Parts<T>::count == 1) {
    return dot_real(n, x, y);
  } else {
    constexpr int pairs = lanes / 2;
    const R* u = parts(x);
    const R* v = parts(y);
    R re[pairs] = {}, im[pairs] = {};
    const R sign = conjugate ? R(-1) : R(1);
    const auto add = [&](Extent i, int j) {
      const Extent at = 2 * (i + j);
      re[j] += u[at] * v[at] - sign * u[at + 1] * v[at + 1];
      im[j] += u[at] * v[at + 1] + sign * u[at + 1] * v[at];
    };
    Extent i = 0;
    for (; i + pairs <= n; i += pairs)
      for (int j = 0; j < pairs; ++j) add(i, j);
    for (int j = 0; i + j < n; ++j) add(i, j);
    T total;
    parts(&total)[0] = add_lanes(re, pairs, 1);
    parts(&total)[1] = add_lanes(im, pairs, 1);
    return total;
  }
}

}  // namespace
}  // namespace blockyard::tensor::detail
