// SPDX-License-Identifier: Apache-2.0
// AVX2 with FMA: masks are vectors. Included by one file.
#pragma once

#include <immintrin.h>

#include <bit>

#include "bench/simd/loops.h"

namespace blockyard::bench {
namespace {

constexpr int width_bytes = 32;
constexpr bool has_masks = true;

template <class T>
using Wide [[gnu::vector_size(32)]] = T;

template <class T>
__m256i first(int n) {
  if constexpr (sizeof(T) == 8)
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
  else
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
Wide<float> load_first(const float* from, int n) {
  return std::bit_cast<Wide<float>>(_mm256_maskload_ps(from, first<float>(n)));
}
Wide<double> load_first(const double* from, int n) {
  return std::bit_cast<Wide<double>>(_mm256_maskload_pd(from, first<double>(n)));
}
Wide<std::int32_t> load_first(const std::int32_t* from, int n) {
  return std::bit_cast<Wide<std::int32_t>>(_mm256_maskload_epi32(from, first<int>(n)));
}
void store_first(float* to, Wide<float> v, int n) {
  _mm256_maskstore_ps(to, first<float>(n), std::bit_cast<__m256>(v));
}
void store_first(double* to, Wide<double> v, int n) {
  _mm256_maskstore_pd(to, first<double>(n), std::bit_cast<__m256d>(v));
}
void store_first(std::int32_t* to, Wide<std::int32_t> v, int n) {
  _mm256_maskstore_epi32(to, first<int>(n), std::bit_cast<__m256i>(v));
}
bool is_any(Wide<std::int32_t> mask) {
  const auto bits = std::bit_cast<__m256i>(mask);
  return _mm256_testz_si256(bits, bits) == 0;
}
Wide<float> root(Wide<float> v) {
  return std::bit_cast<Wide<float>>(_mm256_sqrt_ps(std::bit_cast<__m256>(v)));
}
constexpr Vectors with_own(Vectors all) { return all; }

}  // namespace
}  // namespace blockyard::bench
