// SPDX-License-Identifier: Apache-2.0
// Included only by kernels_baseline.cpp, before kernel_body.h, whose rules hold here too.
// Compiles for any processor: 16-byte vectors by the compiler, no intrinsics.
#pragma once

#include "blockyard/tensor/detail/vector_of.h"

namespace blockyard::tensor::detail {
namespace {

constexpr int vector_bytes = 16;
template <class R>
constexpr int native_width = VectorOf<R, vector_bytes>::width;
template <class R>
using Native = typename VectorOf<R, vector_bytes>::Vector;

/// The first `count` lanes from memory, zeros in the rest; nothing past them is touched.
template <class R>
Native<R> load_first(const R* x, int count) {
  Native<R> v{};
  for (int i = 0; i < native_width<R>; ++i)
    if (i < count) v[i] = x[i];
  return v;
}
/// Half a vector from each of two places.
template <class R>
Native<R> load_halves(const R* a, const R* b) {
  constexpr int half = native_width<R> / 2;
  Native<R> v;
  for (int i = 0; i < half; ++i) {
    v[i] = a[i];
    v[i + half] = b[i];
  }
  return v;
}
/// Halves are not stored apart: it would take twice as many stores.
constexpr bool stores_halves = false;
/// Writes the first `count` lanes only.
template <class R>
void store_first(R* x, Native<R> v, int count) {
  for (int i = 0; i < native_width<R>; ++i)
    if (i < count) x[i] = v[i];
}
/// Lanes cannot be picked by a table.
struct Places {};
constexpr bool picks_lanes = false;
template <class V>
V multiply_add(V a, V b, V c) {
  return a * b + c;
}
/// a * b - c in even lanes, a * b + c in odd ones.
template <class V>
V subtract_add(V a, V b, V c) {
  for (int i = 0; i < static_cast<int>(sizeof(V) / sizeof(c[0])); i += 2) c[i] = -c[i];
  return a * b + c;
}
/// No such store without intrinsics: a plain one.
template <class R>
void stream(R* x, Native<R> v) {
  __builtin_memcpy(x, &v, sizeof v);
}
inline void finish_streams() noexcept {}

}  // namespace
}  // namespace blockyard::tensor::detail
