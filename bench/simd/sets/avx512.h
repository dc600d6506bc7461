// SPDX-License-Identifier: Apache-2.0
// AVX-512: masks are registers of their own, a 4 x 4 matrix is one register (f32) or two (f64).
// Included by one file.
#pragma once

#include <immintrin.h>

#include <bit>

#include "bench/simd/loops.h"

namespace blockyard::bench {
namespace {

constexpr int width_bytes = 64;
constexpr bool has_masks = true;

template <class T>
using Wide [[gnu::vector_size(64)]] = T;

__mmask16 first_of_16(int n) { return static_cast<__mmask16>((1U << n) - 1U); }
__mmask8 first_of_8(int n) { return static_cast<__mmask8>((1U << n) - 1U); }

Wide<float> load_first(const float* from, int n) {
  return std::bit_cast<Wide<float>>(_mm512_maskz_loadu_ps(first_of_16(n), from));
}
Wide<double> load_first(const double* from, int n) {
  return std::bit_cast<Wide<double>>(_mm512_maskz_loadu_pd(first_of_8(n), from));
}
Wide<std::int32_t> load_first(const std::int32_t* from, int n) {
  return std::bit_cast<Wide<std::int32_t>>(_mm512_maskz_loadu_epi32(first_of_16(n), from));
}
void store_first(float* to, Wide<float> v, int n) {
  _mm512_mask_storeu_ps(to, first_of_16(n), std::bit_cast<__m512>(v));
}
void store_first(double* to, Wide<double> v, int n) {
  _mm512_mask_storeu_pd(to, first_of_8(n), std::bit_cast<__m512d>(v));
}
void store_first(std::int32_t* to, Wide<std::int32_t> v, int n) {
  _mm512_mask_storeu_epi32(to, first_of_16(n), std::bit_cast<__m512i>(v));
}
bool is_any(Wide<std::int32_t> mask) {
  const auto bits = std::bit_cast<__m512i>(mask);
  return _mm512_test_epi32_mask(bits, bits) != 0;
}
Wide<float> root(Wide<float> v) {
  return std::bit_cast<Wide<float>>(_mm512_sqrt_ps(std::bit_cast<__m512>(v)));
}

/// Column i of the left matrix stands in each quarter, element i of each column of the right one in
/// its whole quarter.
__m512 product(__m512 left, __m512 right) {
  __m512 c = _mm512_mul_ps(_mm512_shuffle_f32x4(left, left, 0x00), _mm512_permute_ps(right, 0x00));
  c = _mm512_fmadd_ps(_mm512_shuffle_f32x4(left, left, 0x55), _mm512_permute_ps(right, 0x55), c);
  c = _mm512_fmadd_ps(_mm512_shuffle_f32x4(left, left, 0xaa), _mm512_permute_ps(right, 0xaa), c);
  return _mm512_fmadd_ps(_mm512_shuffle_f32x4(left, left, 0xff), _mm512_permute_ps(right, 0xff), c);
}
__m512 transposed(__m512 a) {
  const __m512i from = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return _mm512_permutexvar_ps(from, a);
}
[[gnu::noinline]] void whole_multiply(const float* a, const float* b, float* c) {
  _mm512_storeu_ps(c, product(transposed(_mm512_loadu_ps(a)), _mm512_loadu_ps(b)));
}
[[gnu::noinline]] void whole_pair(const float* a, const float* b, float* c, float* d) {
  const __m512 left = _mm512_loadu_ps(a), right = _mm512_loadu_ps(b);
  _mm512_storeu_ps(c, product(transposed(left), right));
  _mm512_storeu_ps(d, product(right, left));
}

/// Columns 0 and 1, 2 and 3.
struct Halves {
  __m512d low, high;
};
Halves load_halves(const double* a) { return {_mm512_loadu_pd(a), _mm512_loadu_pd(a + 8)}; }
void store_product(double* to, const Halves& left, const Halves& right) {
  const __m512d c0 = _mm512_shuffle_f64x2(left.low, left.low, 0x44),
                c1 = _mm512_shuffle_f64x2(left.low, left.low, 0xee),
                c2 = _mm512_shuffle_f64x2(left.high, left.high, 0x44),
                c3 = _mm512_shuffle_f64x2(left.high, left.high, 0xee);
  const auto columns = [&](__m512d r) {
    const __m512d even = _mm512_fmadd_pd(c1, _mm512_permutex_pd(r, 0x55),
                                         _mm512_mul_pd(c0, _mm512_permutex_pd(r, 0x00)));
    const __m512d odd = _mm512_fmadd_pd(c3, _mm512_permutex_pd(r, 0xff),
                                        _mm512_mul_pd(c2, _mm512_permutex_pd(r, 0xaa)));
    return _mm512_add_pd(even, odd);
  };
  _mm512_storeu_pd(to, columns(right.low));
  _mm512_storeu_pd(to + 8, columns(right.high));
}
Halves transposed(const Halves& m) {
  const __m512i low = _mm512_setr_epi64(0, 4, 8, 12, 1, 5, 9, 13),
                high = _mm512_setr_epi64(2, 6, 10, 14, 3, 7, 11, 15);
  return {_mm512_permutex2var_pd(m.low, low, m.high), _mm512_permutex2var_pd(m.low, high, m.high)};
}
[[gnu::noinline]] void whole_multiply(const double* a, const double* b, double* c) {
  store_product(c, transposed(load_halves(a)), load_halves(b));
}
[[gnu::noinline]] void whole_pair(const double* a, const double* b, double* c, double* d) {
  const Halves left = load_halves(a), right = load_halves(b);
  store_product(c, transposed(left), right);
  store_product(d, right, left);
}

constexpr Vectors with_own(Vectors all) {
  all.multiply_f32 = whole_multiply;
  all.multiply_f64 = whole_multiply;
  all.pair_f32 = whole_pair;
  all.pair_f64 = whole_pair;
  return all;
}

}  // namespace
}  // namespace blockyard::bench
