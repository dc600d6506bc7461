// SPDX-License-Identifier: Apache-2.0
// Included only by kernels_avx512.cpp, before kernel_body.h, whose rules hold here too.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "blockyard/tensor/detail/vector_of.h"

namespace blockyard::tensor::detail {
namespace {

constexpr int vector_bytes = 64;
template <class R>
constexpr int native_width = VectorOf<R, vector_bytes>::width;
template <class R>
using Native = typename VectorOf<R, vector_bytes>::Vector;

/// The first `count` lanes from memory, zeros in the rest; nothing past them is touched.
inline Native<double> load_first(const double* x, int count) {
  return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << count) - 1u), x);
}
inline Native<float> load_first(const float* x, int count) {
  return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << count) - 1u), x);
}
/// Half a vector from each of two places. The masks say all lanes: without them GCC 12 takes what
/// its intrinsics leave open for uninitialised.
inline Native<double> load_halves(const double* a, const double* b) {
  return _mm512_maskz_insertf64x4(0xff, _mm512_castpd256_pd512(_mm256_loadu_pd(a)),
                                  _mm256_loadu_pd(b), 1);
}
inline Native<float> load_halves(const float* a, const float* b) {
  return _mm512_maskz_insertf32x8(0xffff, _mm512_castps256_ps512(_mm256_loadu_ps(a)),
                                  _mm256_loadu_ps(b), 1);
}
/// Storing an upper half takes none of the ports that exchange lanes.
constexpr bool stores_halves = true;
inline void store_lower(double* x, Native<double> v) {
  _mm256_storeu_pd(x, _mm512_maskz_extractf64x4_pd(0xff, v, 0));
}
inline void store_lower(float* x, Native<float> v) {
  _mm256_storeu_ps(x, _mm512_maskz_extractf32x8_ps(0xff, v, 0));
}
inline void store_upper(double* x, Native<double> v) {
  _mm256_storeu_pd(x, _mm512_maskz_extractf64x4_pd(0xff, v, 1));
}
inline void store_upper(float* x, Native<float> v) {
  _mm256_storeu_ps(x, _mm512_maskz_extractf32x8_ps(0xff, v, 1));
}
/// Writes the first `count` lanes only.
inline void store_first(double* x, Native<double> v, int count) {
  _mm512_mask_storeu_pd(x, static_cast<__mmask8>((1u << count) - 1u), v);
}
inline void store_first(float* x, Native<float> v, int count) {
  _mm512_mask_storeu_ps(x, static_cast<__mmask16>((1u << count) - 1u), v);
}
/// Which lanes of up to four vectors to pick; these have numbers from 0 on.
using Places = __m512i;
constexpr bool picks_lanes = true;
inline Places load_places(const std::int32_t* from, float) { return _mm512_loadu_si512(from); }
inline Places load_places(const std::int32_t* from, double) {
  return _mm512_maskz_cvtepi32_epi64(0xff,
                                     _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}
inline Native<double> pick(Native<double> a, Native<double> b, Places from) {
  return _mm512_permutex2var_pd(a, from, b);
}
inline Native<float> pick(Native<float> a, Native<float> b, Places from) {
  return _mm512_permutex2var_ps(a, from, b);
}
/// The elements picked from the first two vectors, or from the other two.
inline Native<double> choose(Native<double> first, Native<double> second, Places from) {
  return _mm512_mask_mov_pd(first, _mm512_test_epi64_mask(from, _mm512_set1_epi64(16)), second);
}
inline Native<float> choose(Native<float> first, Native<float> second, Places from) {
  return _mm512_mask_mov_ps(first, _mm512_test_epi32_mask(from, _mm512_set1_epi32(32)), second);
}
/// a * b + c, rounded once (vector_avx2.h).
inline Native<double> multiply_add(Native<double> a, Native<double> b, Native<double> c) {
  return _mm512_fmadd_pd(a, b, c);
}
inline Native<float> multiply_add(Native<float> a, Native<float> b, Native<float> c) {
  return _mm512_fmadd_ps(a, b, c);
}
/// a * b - c in even lanes, a * b + c in odd ones.
inline Native<double> subtract_add(Native<double> a, Native<double> b, Native<double> c) {
  return _mm512_fmaddsub_pd(a, b, c);
}
inline Native<float> subtract_add(Native<float> a, Native<float> b, Native<float> c) {
  return _mm512_fmaddsub_ps(a, b, c);
}
/// Writes to 64-byte aligned memory past the caches; others see it after finish_streams().
inline void stream(double* x, Native<double> v) { _mm512_stream_pd(x, v); }
inline void stream(float* x, Native<float> v) { _mm512_stream_ps(x, v); }
inline void finish_streams() noexcept { _mm_sfence(); }

}  // namespace
}  // namespace blockyard::tensor::detail
