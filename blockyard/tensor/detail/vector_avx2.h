// SPDX-License-Identifier: Apache-2.0
// Included only by kernels_avx2.cpp, before kernel_body.h, whose rules hold here too.
#pragma once

#include <immintrin.h>

namespace blockyard::tensor::detail {
namespace {

constexpr int vector_bytes = 32;
template <class R>
constexpr int native_width = vector_bytes / static_cast<int>(sizeof(R));
template <class R>
struct NativeVector {
  using Vector [[gnu::vector_size(vector_bytes)]] = R;
};
template <class R>
using Native = typename NativeVector<R>::Vector;

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
/// Writes the first `count` lanes only.
inline void store_first(double* x, Native<double> v, int count) {
  _mm256_maskstore_pd(x, first_doubles(count), v);
}
inline void store_first(float* x, Native<float> v, int count) {
  _mm256_maskstore_ps(x, first_floats(count), v);
}
/// Writes to 32-byte aligned memory past the caches; others see it after finish_streams().
inline void stream(double* x, Native<double> v) { _mm256_stream_pd(x, v); }
inline void stream(float* x, Native<float> v) { _mm256_stream_ps(x, v); }
inline void finish_streams() noexcept { _mm_sfence(); }

}  // namespace
}  // namespace blockyard::tensor::detail
