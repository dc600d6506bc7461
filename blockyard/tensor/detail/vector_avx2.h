// SPDX-License-Identifier: Apache-2.0
// Included only by kernels_avx2.cpp, before kernel_body.h, whose rules hold here too.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "blockyard/tensor/detail/vector_of.h"

namespace blockyard::tensor::detail {
namespace {

constexpr int vector_bytes = 32;
template <class R>
constexpr int native_width = VectorOf<R, vector_bytes>::width;
template <class R>
using Native = typename VectorOf<R, vector_bytes>::Vector;

/// All bits of the first `count` lanes.
inline __m256i first_doubles(int count) {
  return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
}
inline __m256i first_floats(int count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/// The first `count` lanes from memory, zeros in the rest; nothing past them is touched.
inline Native<double> load_first(const double* x, int count) {
  return _mm256_maskload_pd(x, first_doubles(count));
}
inline Native<float> load_first(const float* x, int count) {
  return _mm256_maskload_ps(x, first_floats(count));
}
/// Half a vector from each of two places.
inline Native<double> load_halves(const double* a, const double* b) {
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(a)), _mm_loadu_pd(b), 1);
}
inline Native<float> load_halves(const float* a, const float* b) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(a)), _mm_loadu_ps(b), 1);
}
/// Halves are not stored apart: it would take twice as many stores.
constexpr bool stores_halves = false;
/// Writes the first `count` lanes only.
inline void store_first(double* x, Native<double> v, int count) {
  _mm256_maskstore_pd(x, first_doubles(count), v);
}
inline void store_first(float* x, Native<float> v, int count) {
  _mm256_maskstore_ps(x, first_floats(count), v);
}
/// Which lanes of up to four vectors to pick, in halves of doubles; these have numbers from 0 on.
using Places = __m256i;
constexpr bool picks_lanes = true;
inline Places load_places(const std::int32_t* from, float) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
inline Places load_places(const std::int32_t* from, double) {
  const __m128i lanes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  const __m256i halves = _mm256_slli_epi64(_mm256_cvtepu32_epi64(lanes), 1);
  const __m256i odd = _mm256_add_epi64(halves, _mm256_set1_epi64x(1));
  return _mm256_or_si256(halves, _mm256_slli_epi64(odd, 32));
}
inline Native<float> pick(Native<float> a, Native<float> b, Places from) {
  return _mm256_blendv_ps(_mm256_permutevar8x32_ps(a, from), _mm256_permutevar8x32_ps(b, from),
                          _mm256_castsi256_ps(_mm256_slli_epi32(from, 28)));
}
inline Native<double> pick(Native<double> a, Native<double> b, Places from) {
  return _mm256_castps_pd(pick(_mm256_castpd_ps(a), _mm256_castpd_ps(b), from));
}
/// The elements picked from the first two vectors, or from the other two.
inline Native<float> choose(Native<float> first, Native<float> second, Places from) {
  return _mm256_blendv_ps(first, second, _mm256_castsi256_ps(_mm256_slli_epi32(from, 27)));
}
inline Native<double> choose(Native<double> first, Native<double> second, Places from) {
  return _mm256_castps_pd(choose(_mm256_castpd_ps(first), _mm256_castpd_ps(second), from));
}
/// a * b + c, rounded once. A compiler that is left to fuse chooses at each place which product.
inline Native<double> multiply_add(Native<double> a, Native<double> b, Native<double> c) {
  return _mm256_fmadd_pd(a, b, c);
}
inline Native<float> multiply_add(Native<float> a, Native<float> b, Native<float> c) {
  return _mm256_fmadd_ps(a, b, c);
}
/// a * b - c in even lanes, a * b + c in odd ones.
inline Native<double> subtract_add(Native<double> a, Native<double> b, Native<double> c) {
  return _mm256_fmaddsub_pd(a, b, c);
}
inline Native<float> subtract_add(Native<float> a, Native<float> b, Native<float> c) {
  return _mm256_fmaddsub_ps(a, b, c);
}
/// Writes to 32-byte aligned memory past the caches; others see it after finish_streams().
inline void stream(double* x, Native<double> v) { _mm256_stream_pd(x, v); }
inline void stream(float* x, Native<float> v) { _mm256_stream_ps(x, v); }
inline void finish_streams() noexcept { _mm_sfence(); }

}  // namespace
}  // namespace blockyard::tensor::detail
