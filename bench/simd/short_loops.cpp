// SPDX-License-Identifier: Apache-2.0
// Sums of two vectors of 31 elements.
#include <fmt/format.h>
#include <immintrin.h>

#include <array>

#include "bench/contract/measure.h"
#include "bench/simd/experiments.h"

namespace blockyard::bench {
namespace {

constexpr int length = 31;

template <class T>
struct Vector {
  using Type [[gnu::vector_size(64)]] = T;
  static constexpr int lanes = 64 / static_cast<int>(sizeof(T));
};

template <class T>
using Add = void (*)(const T* x, const T* y, T* z);

template <class T>
[[gnu::noinline, gnu::optimize("no-tree-vectorize")]] void add_scalar(const T* x, const T* y,
                                                                      T* z) {
  for (int i = 0; i < length; ++i) z[i] = x[i] + y[i];
}

template <class T>
typename Vector<T>::Type load(const T* x) {
  typename Vector<T>::Type v;
  __builtin_memcpy(&v, x, sizeof v);
  return v;
}
template <class T>
void add_vectors(const T* x, const T* y, T* z, int end) {
  for (int i = 0; i < end; i += Vector<T>::lanes) {
    const auto sum = load(x + i) + load(y + i);
    __builtin_memcpy(z + i, &sum, sizeof sum);
  }
}

constexpr int whole(int lanes) { return length / lanes * lanes; }

/// Whole vectors, then the rest one element at a time.
template <class T>
[[gnu::noinline, gnu::optimize("no-tree-vectorize")]] void add_then_scalar(const T* x, const T* y,
                                                                           T* z) {
  constexpr int begin = whole(Vector<T>::lanes);
  add_vectors(x, y, z, begin);
  for (int i = begin; i < length; ++i) {
    asm volatile("");  // the compiler must not make vectors of it
    z[i] = x[i] + y[i];
  }
}

void add_masked(const float* x, const float* y, float* z, unsigned mask) {
  const auto m = static_cast<__mmask16>(mask);
  _mm512_mask_storeu_ps(z, m, _mm512_maskz_loadu_ps(m, x) + _mm512_maskz_loadu_ps(m, y));
}
void add_masked(const double* x, const double* y, double* z, unsigned mask) {
  const auto m = static_cast<__mmask8>(mask);
  _mm512_mask_storeu_pd(z, m, _mm512_maskz_loadu_pd(m, x) + _mm512_maskz_loadu_pd(m, y));
}
void add_masked(const int* x, const int* y, int* z, unsigned mask) {
  const auto m = static_cast<__mmask16>(mask);
  _mm512_mask_storeu_epi32(
      z, m, _mm512_add_epi32(_mm512_maskz_loadu_epi32(m, x), _mm512_maskz_loadu_epi32(m, y)));
}

/// Whole vectors, then one masked vector.
template <class T>
[[gnu::noinline]] void add_then_masked(const T* x, const T* y, T* z) {
  constexpr int begin = whole(Vector<T>::lanes);
  add_vectors(x, y, z, begin);
  add_masked(x + begin, y + begin, z + begin, (1u << (length - begin)) - 1u);
}

/// Whole vectors to past the end: the memory is padded, as that of blocks is.
template <class T>
[[gnu::noinline]] void add_padded(const T* x, const T* y, T* z) {
  add_vectors(x, y, z, length);
}

template <class T>
Experiment add_31(const std::string& type, int rounds) {
  alignas(64) static std::array<T, 80> x{}, y{}, z{};
  x.fill(T(1));
  y.fill(T(2));
  const auto run = [&](Add<T> add, int shift) {
    return [add, shift] { add(x.data() + shift, y.data() + shift, z.data() + shift); };
  };
  const auto best =
      best_seconds(rounds, 2e-3, run(add_scalar<T>, 0), run(add_then_scalar<T>, 0),
                   run(add_then_masked<T>, 0), run(add_padded<T>, 0), run(add_then_masked<T>, 1));
  return {fmt::format("sum of 31 {}s", type),
          {{"one element at a time", best[0]},
           {"vectors, remainder one element at a time", best[1]},
           {"vectors, remainder masked", best[2]},
           {"vectors, remainder into the padding", best[3]},
           {"remainder masked, not aligned", best[4]}}};
}

}  // namespace

std::vector<Experiment> short_loops(int rounds) {
  return {add_31<int>("int", rounds), add_31<float>("float", rounds),
          add_31<double>("double", rounds)};
}

}  // namespace blockyard::bench
