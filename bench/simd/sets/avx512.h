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

/// Four vectors, each a column of the left matrix as often as it fits. One port shuffles, while
/// loads spread what is in memory; so columns come from there, and rows by one shuffle each.
struct Columns {
  __m512 at[4];
};
Columns columns_of(const float* m) {
  const auto column = [m](int k) { return _mm512_broadcast_f32x4(_mm_loadu_ps(m + 4 * k)); };
  return {{column(0), column(1), column(2), column(3)}};
}
Columns rows_of(__m512 m) {
  const auto row = [m](int k) {
    const __m512i from = _mm512_setr_epi32(0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12);
    return _mm512_permutexvar_ps(_mm512_add_epi32(from, _mm512_set1_epi32(k)), m);
  };
  return {{row(0), row(1), row(2), row(3)}};
}
/// Element i of each column of the right matrix stands in its whole quarter.
__m512 product(const Columns& left, __m512 right) {
  __m512 c = _mm512_mul_ps(left.at[0], _mm512_permute_ps(right, 0x00));
  c = _mm512_fmadd_ps(left.at[1], _mm512_permute_ps(right, 0x55), c);
  c = _mm512_fmadd_ps(left.at[2], _mm512_permute_ps(right, 0xaa), c);
  return _mm512_fmadd_ps(left.at[3], _mm512_permute_ps(right, 0xff), c);
}
[[gnu::noinline]] void whole_multiply(const float* a, const float* b, float* c) {
  _mm512_storeu_ps(c, product(rows_of(_mm512_loadu_ps(a)), _mm512_loadu_ps(b)));
}
[[gnu::noinline]] void whole_pair(const float* a, const float* b, float* c, float* d) {
  const __m512 left = _mm512_loadu_ps(a), right = _mm512_loadu_ps(b);
  const Columns columns = columns_of(b);
  _mm512_storeu_ps(c, product(rows_of(left), right));
  _mm512_storeu_ps(d, product(columns, left));
}

/// Columns 0 and 1, 2 and 3.
struct Halves {
  __m512d low, high;
};
Halves load_halves(const double* a) { return {_mm512_loadu_pd(a), _mm512_loadu_pd(a + 8)}; }
/// As Columns.
struct WideColumns {
  __m512d at[4];
};
WideColumns rows_of(const Halves& m) {
  const auto row = [&m](int k) {
    const __m512i from = _mm512_setr_epi64(0, 4, 8, 12, 0, 4, 8, 12);
    return _mm512_permutex2var_pd(m.low, _mm512_add_epi64(from, _mm512_set1_epi64(k)), m.high);
  };
  return {{row(0), row(1), row(2), row(3)}};
}
void store_product(double* to, const WideColumns& left, const Halves& right) {
  const auto columns = [&](__m512d r) {
    __m512d c = _mm512_mul_pd(left.at[0], _mm512_permutex_pd(r, 0x00));
    c = _mm512_fmadd_pd(left.at[1], _mm512_permutex_pd(r, 0x55), c);
    c = _mm512_fmadd_pd(left.at[2], _mm512_permutex_pd(r, 0xaa), c);
    return _mm512_fmadd_pd(left.at[3], _mm512_permutex_pd(r, 0xff), c);
  };
  _mm512_storeu_pd(to, columns(right.low));
  _mm512_storeu_pd(to + 8, columns(right.high));
}
/// The same in halves of these registers, with all elements of the right matrix spread by loads:
/// next to store_product it leaves the ports that shuffle to that one.
void store_by_loads(double* to, const double* left, const double* right) {
  const __m256d columns[] = {_mm256_loadu_pd(left), _mm256_loadu_pd(left + 4),
                             _mm256_loadu_pd(left + 8), _mm256_loadu_pd(left + 12)};
  for (int j = 0; j < 16; j += 4) {
    __m256d c = _mm256_mul_pd(columns[0], _mm256_broadcast_sd(right + j));
    for (int k = 1; k < 4; ++k)
      c = _mm256_fmadd_pd(columns[k], _mm256_broadcast_sd(right + j + k), c);
    _mm256_storeu_pd(to + j, c);
  }
}
[[gnu::noinline]] void whole_multiply(const double* a, const double* b, double* c) {
  store_product(c, rows_of(load_halves(a)), load_halves(b));
}
[[gnu::noinline]] void whole_pair(const double* a, const double* b, double* c, double* d) {
  const Halves left = load_halves(a), right = load_halves(b);
  store_product(c, rows_of(left), right);
  store_by_loads(d, b, a);
}

/// Of 64 numbers in four registers, the one at each place; shuffles take the low bits of a place.
__m512 one_of_64(const __m512* all, __m512i place) {
  const __mmask16 is_right = _mm512_test_epi32_mask(place, _mm512_set1_epi32(32));
  return _mm512_mask_blend_ps(is_right, _mm512_permutex2var_ps(all[0], place, all[1]),
                              _mm512_permutex2var_ps(all[2], place, all[3]));
}

/// A row of the detector is in four registers, from which shuffles take pixels in place of a
/// gather, and a line of the volume in two.
[[gnu::noinline]] void back_project_by_shuffles(const float* images, const float* cos_sin,
                                                float* volume) {
  static_assert(detector_side == 64 && volume_side == 32);
  constexpr float middle = 0.5F * volume_side;
  const __m512 first =
      _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) - middle;
  for (int z = 0; z < volume_side; ++z)
    for (int y = 0; y < volume_side; ++y) {
      float* const line = volume + (z * volume_side + y) * volume_side;
      __m512 sums[] = {_mm512_loadu_ps(line), _mm512_loadu_ps(line + 16)};
      for (int p = 0; p < projections; ++p) {
        const float* const from = images + (p * volume_side + z) * detector_side;
        const __m512 row[] = {_mm512_loadu_ps(from), _mm512_loadu_ps(from + 16),
                              _mm512_loadu_ps(from + 32), _mm512_loadu_ps(from + 48)};
        const float c = cos_sin[2 * p], s = cos_sin[2 * p + 1] * (static_cast<float>(y) - middle);
        for (int half = 0; half < 2; ++half) {
          const __m512 at = (first + static_cast<float>(16 * half)) * c + s + middle + 8.0F;
          sums[half] += one_of_64(row, _mm512_cvttps_epi32(at));
        }
      }
      _mm512_storeu_ps(line, sums[0]);
      _mm512_storeu_ps(line + 16, sums[1]);
    }
}

/// The keys of levels 0 to 6 are in registers, from which a shuffle takes one for each query, in
/// place of a gather.
struct UpperKeys {
  static constexpr int levels = 7, registers = 1 << levels >> 4;
  __m512 at[registers];
  explicit UpperKeys(const float* keys) {
    for (int k = 0; k < registers; ++k) at[k] = _mm512_loadu_ps(keys + 16 * k);
  }
  template <int level>
  __m512 of(__m512i node) const {  // shuffles take the low bits of a node
    if constexpr (level < 4) return _mm512_permutexvar_ps(node, at[0]);
    if constexpr (level == 4) return _mm512_permutexvar_ps(node, at[1]);
    if constexpr (level == 5) return _mm512_permutex2var_ps(at[2], node, at[3]);
    return one_of_64(at + 4, node);
  }
};
__m512i below(__m512i node, __m512 key, __m512 asked) {
  const __m512i left = _mm512_add_epi32(node, node);
  return _mm512_mask_add_epi32(left, _mm512_cmp_ps_mask(key, asked, _CMP_LT_OQ), left,
                               _mm512_set1_epi32(1));
}
[[gnu::noinline]] void search_masked(const float* keys, const float* asked, std::int32_t* found) {
  constexpr int at_once = 4;  // vectors of queries, one of which waits while others compute
  static_assert(queries % (16 * at_once) == 0 && tree_levels > UpperKeys::levels);
  const UpperKeys upper(keys);
  for (int q = 0; q < queries; q += 16 * at_once) {
    __m512 of[at_once];
    __m512i node[at_once];
    for (int v = 0; v < at_once; ++v) {
      of[v] = _mm512_loadu_ps(asked + q + 16 * v);
      node[v] = _mm512_set1_epi32(1);
    }
    const auto descend = [&](auto key_of) {
      for (int v = 0; v < at_once; ++v) node[v] = below(node[v], key_of(node[v]), of[v]);
    };
    for (int level = 0; level < 4; ++level) descend([&](__m512i n) { return upper.of<0>(n); });
    descend([&](__m512i n) { return upper.of<4>(n); });
    descend([&](__m512i n) { return upper.of<5>(n); });
    descend([&](__m512i n) { return upper.of<6>(n); });
    for (int level = UpperKeys::levels; level < tree_levels; ++level)
      descend([&](__m512i n) { return _mm512_i32gather_ps(n, keys, 4); });
    for (int v = 0; v < at_once; ++v) _mm512_storeu_si512(found + q + 16 * v, node[v]);
  }
}

constexpr Vectors with_own(Vectors all) {
  all.search = search_masked;
  all.back_project = back_project_by_shuffles;
  all.multiply_f32 = whole_multiply;
  all.multiply_f64 = whole_multiply;
  all.pair_f32 = whole_pair;
  all.pair_f64 = whole_pair;
  return all;
}

}  // namespace
}  // namespace blockyard::bench
