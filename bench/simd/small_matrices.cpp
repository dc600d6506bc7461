// SPDX-License-Identifier: Apache-2.0
// Products of 4 x 4 matrices of floats, column after column: a matrix is one register of 512 bits.
#include <immintrin.h>

#include <array>

#include "bench/contract/measure.h"
#include "bench/simd/experiments.h"

namespace blockyard::bench {
namespace {

using Matrix = std::array<float, 16>;

[[gnu::noinline, gnu::optimize("no-tree-vectorize", "no-tree-slp-vectorize")]] void
multiply_plainly(const Matrix& a, const Matrix& b, Matrix& c) {
  for (std::size_t j = 0; j < 4; ++j)
    for (std::size_t i = 0; i < 4; ++i) {
      float sum = 0;
      for (std::size_t l = 0; l < 4; ++l) sum += a[i + 4 * l] * b[l + 4 * j];
      c[i + 4 * j] = sum;
    }
}

[[gnu::noinline]] void multiply_by_compiler(const Matrix& a, const Matrix& b, Matrix& c) {
  Matrix sum{};
  for (std::size_t l = 0; l < 4; ++l)
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t i = 0; i < 4; ++i) sum[i + 4 * j] += a[i + 4 * l] * b[l + 4 * j];
  c = sum;
}

[[gnu::noinline, gnu::optimize("no-tree-vectorize", "no-tree-slp-vectorize")]] void
transpose_plainly(const Matrix& a, Matrix& c) {
  for (std::size_t j = 0; j < 4; ++j)
    for (std::size_t i = 0; i < 4; ++i) c[j + 4 * i] = a[i + 4 * j];
}

/// Column l of a stands in each quarter, element l of each column of b in its whole quarter.
__m512 product(__m512 a, __m512 b) {
  __m512 c = _mm512_mul_ps(_mm512_shuffle_f32x4(a, a, 0x00), _mm512_permute_ps(b, 0x00));
  c = _mm512_fmadd_ps(_mm512_shuffle_f32x4(a, a, 0x55), _mm512_permute_ps(b, 0x55), c);
  c = _mm512_fmadd_ps(_mm512_shuffle_f32x4(a, a, 0xaa), _mm512_permute_ps(b, 0xaa), c);
  return _mm512_fmadd_ps(_mm512_shuffle_f32x4(a, a, 0xff), _mm512_permute_ps(b, 0xff), c);
}
__m512 transposed(__m512 a) {
  const __m512i from = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return _mm512_permutexvar_ps(from, a);
}

[[gnu::noinline]] void multiply_in_registers(const Matrix& a, const Matrix& b, Matrix& c) {
  _mm512_storeu_ps(c.data(), product(_mm512_loadu_ps(a.data()), _mm512_loadu_ps(b.data())));
}

/// c = a b and d = transposed(a) b
[[gnu::noinline]] void pair_in_registers(const Matrix& a, const Matrix& b, Matrix& c, Matrix& d) {
  const __m512 left = _mm512_loadu_ps(a.data()), right = _mm512_loadu_ps(b.data());
  _mm512_storeu_ps(c.data(), product(left, right));
  _mm512_storeu_ps(d.data(), product(transposed(left), right));
}

}  // namespace

std::vector<Experiment> small_matrices(int rounds) {
  alignas(64) static Matrix a, b, c, d, t;
  for (std::size_t i = 0; i < 16; ++i) {
    a[i] = static_cast<float>(i);
    b[i] = 1.0f / static_cast<float>(i + 1);
  }
  const auto single = best_seconds(
      rounds, 2e-3, [] { multiply_plainly(a, b, c); }, [] { multiply_by_compiler(a, b, c); },
      [] { multiply_in_registers(a, b, c); });
  const auto plain_pair = [] {
    multiply_plainly(a, b, c);
    transpose_plainly(a, t);
    multiply_plainly(t, b, d);
  };
  const auto compiled_pair = [] {
    multiply_by_compiler(a, b, c);
    transpose_plainly(a, t);
    multiply_by_compiler(t, b, d);
  };
  const auto pair =
      best_seconds(rounds, 2e-3, plain_pair, compiled_pair, [] { pair_in_registers(a, b, c, d); });
  return {{"4 x 4 product of floats",
           {{"one element at a time", single[0]},
            {"by the compiler", single[1]},
            {"whole in registers", single[2]}}},
          {"a pair: 4 x 4 products with a matrix and its transpose",
           {{"one element at a time", pair[0]},
            {"by the compiler", pair[1]},
            {"whole in registers", pair[2]}}}};
}

}  // namespace blockyard::bench
