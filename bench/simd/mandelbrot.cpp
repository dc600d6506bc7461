// SPDX-License-Identifier: Apache-2.0
// Threads times vectors: steps until a point of the plane escapes, 512 x 512 points in floats.
#include <fmt/format.h>
#include <immintrin.h>

#include <thread>

#include "bench/contract/measure.h"
#include "bench/simd/experiments.h"

namespace blockyard::bench {
namespace {

constexpr int side = 512;
constexpr int most_steps = 256;

float coordinate(int i, float begin, float width) {
  return begin + width * static_cast<float>(i) / static_cast<float>(side);
}

[[gnu::optimize("no-tree-vectorize")]] void row_of_points(int row, int* steps) {
  const float im = coordinate(row, -1.25f, 2.5f);
  for (int i = 0; i < side; ++i) {
    const float re = coordinate(i, -2.0f, 2.5f);
    float x = 0, y = 0;
    int n = 0;
    for (; n < most_steps && x * x + y * y < 4.0f; ++n) {
      const float old = x;
      x = x * x - y * y + re;
      y = 2 * old * y + im;
    }
    steps[i] = n;
  }
}

/// 16 points at a time; a mask holds those that have not escaped.
void row_of_vectors(int row, int* steps) {
  const __m512 im = _mm512_set1_ps(coordinate(row, -1.25f, 2.5f));
  const __m512 ramp =
      _mm512_cvtepi32_ps(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
  for (int i = 0; i < side; i += 16) {
    const __m512 re = _mm512_fmadd_ps(ramp, _mm512_set1_ps(2.5f / side),
                                      _mm512_set1_ps(coordinate(i, -2.0f, 2.5f)));
    __m512 x = _mm512_setzero_ps(), y = x;
    __m512i count = _mm512_setzero_si512();
    __mmask16 inside = 0xffff;
    for (int n = 0; n < most_steps && inside != 0; ++n) {
      const __m512 xx = x * x, yy = y * y;
      inside = _mm512_mask_cmp_ps_mask(inside, xx + yy, _mm512_set1_ps(4.0f), _CMP_LT_OQ);
      count = _mm512_mask_add_epi32(count, inside, count, _mm512_set1_epi32(1));
      const __m512 xy = x * y;
      x = xx - yy + re;
      y = xy + xy + im;
    }
    _mm512_storeu_si512(steps + i, count);
  }
}

using Row = void (*)(int, int*);

/// Rows in turn, so that each thread has as many hard ones.
void run(Row row, int threads, std::vector<int>& steps) {
  const auto share = [&](int first) {
    for (int j = first; j < side; j += threads) row(j, steps.data() + j * side);
  };
  std::vector<std::jthread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(share, t);
  share(0);
}

}  // namespace

std::vector<Experiment> mandelbrot(int rounds) {
  const int threads = static_cast<int>(std::max(2u, std::thread::hardware_concurrency()));
  std::vector<int> steps(side * side);
  const auto best = best_seconds<wall_seconds>(
      rounds, 2e-3, [&] { run(row_of_points, 1, steps); },
      [&] { run(row_of_points, threads, steps); }, [&] { run(row_of_vectors, 1, steps); },
      [&] { run(row_of_vectors, threads, steps); });
  return {{"Mandelbrot set, 512 x 512 points, up to 256 steps",
           {{"one thread, one point at a time", best[0]},
            {fmt::format("{} threads, one point at a time", threads), best[1]},
            {"one thread, vectors", best[2]},
            {fmt::format("{} threads, vectors", threads), best[3]}}}};
}

}  // namespace blockyard::bench
