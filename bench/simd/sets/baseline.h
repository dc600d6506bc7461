// SPDX-License-Identifier: Apache-2.0
// x86-64 as every processor has it: SSE2, no masks. Included by one file.
#pragma once

#include <immintrin.h>

#include <bit>
#include <cstring>

#include "bench/simd/loops.h"

namespace blockyard::bench {
namespace {

constexpr int width_bytes = 16;
constexpr bool has_masks = false;

template <class T>
using Wide [[gnu::vector_size(16)]] = T;

/// Element by element: only to be compiled.
template <class T>
Wide<T> load_first(const T* from, int n) {
  Wide<T> v{};
  std::memcpy(&v, from, sizeof(T) * static_cast<std::size_t>(n));
  return v;
}
template <class V, class T>
void store_first(T* to, V v, int n) {
  std::memcpy(to, &v, sizeof(T) * static_cast<std::size_t>(n));
}
bool is_any(Wide<std::int32_t> mask) { return _mm_movemask_ps(std::bit_cast<__m128>(mask)) != 0; }
Wide<float> root(Wide<float> v) {
  return std::bit_cast<Wide<float>>(_mm_sqrt_ps(std::bit_cast<__m128>(v)));
}
constexpr Vectors with_own(Vectors all) { return all; }

}  // namespace
}  // namespace blockyard::bench
