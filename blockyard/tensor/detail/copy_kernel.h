// SPDX-License-Identifier: Apache-2.0
// Included only by kernel_body.h, whose rules hold here too.
#pragma once

#include <cstdint>

#include "blockyard/tensor/detail/element_parts.h"
#include "blockyard/tensor/detail/loop_walk.h"
#include "blockyard/tensor/detail/scale_kernels.h"

namespace blockyard::tensor::detail {
namespace {

/// Rows of at most one vector.
template <class R>
[[gnu::always_inline]] inline void copy_short_rows(int n, Extent count, const R* in,
                                                   Extent in_stride, R* out, Extent out_stride) {
#pragma GCC unroll 4
  for (Extent j = 0; j < count; ++j)
    store_first(out + j * out_stride, load_first(in + j * in_stride, n), n);
}

/// Rows of one vector or two halves: what is in the middle is written twice.
template <class V, class R>
[[gnu::always_inline]] inline void copy_ends(Extent n, Extent count, const R* in, Extent in_stride,
                                             R* out, Extent out_stride) {
  constexpr Extent width = sizeof(V) / sizeof(R);
#pragma GCC unroll 4
  for (Extent j = 0; j < count; ++j) {
    V first, last;
    __builtin_memcpy(&first, in + j * in_stride, sizeof(V));
    __builtin_memcpy(&last, in + j * in_stride + n - width, sizeof(V));
    __builtin_memcpy(out + j * out_stride, &first, sizeof(V));
    __builtin_memcpy(out + j * out_stride + n - width, &last, sizeof(V));
  }
}

/// `count` rows of n numbers.
template <class R>
[[gnu::always_inline]] inline void copy_rows(Extent n, Extent count, const R* in, Extent in_stride,
                                             R* out, Extent out_stride, Reach reach) {
  constexpr Extent width = native_width<R>;
  const auto bytes = n * static_cast<Extent>(sizeof(R));
  if (n < width) return copy_short_rows(static_cast<int>(n), count, in, in_stride, out, out_stride);
  if (n <= 2 * width) return copy_ends<Native<R>>(n, count, in, in_stride, out, out_stride);
  for (Extent j = 0; j < count; ++j) {
    const R* x = in + j * in_stride;
    R* y = out + j * out_stride;
    if (reach == Reach::streamed &&
        ((reinterpret_cast<std::uintptr_t>(y) | static_cast<std::uintptr_t>(bytes)) & 63u) == 0)
      for (Extent i = 0; i < n; i += width) stream(y + i, load_whole(x + i));
    else if (n >= 64)
      __builtin_memcpy(y, x, static_cast<std::size_t>(bytes));
    else
      change_all(n, x, y, [](Native<R> u, Native<R>) { return u; });
  }
}

template <class T>
void copy(const CopyLoop* loops, int count, const T* in, T* out, Reach reach) {
  constexpr Extent parts_each = Parts<T>::count;
  const CopyLoop& rows = loops[1];
  LoopWalk<T> now(loops, count, 2, in, out);
  do
    copy_rows(loops[0].extent * parts_each, rows.extent, parts(now.in), rows.in_stride * parts_each,
              parts(now.out), rows.out_stride * parts_each, reach);
  while (now.advance());
}

}  // namespace
}  // namespace blockyard::tensor::detail
