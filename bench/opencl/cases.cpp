// SPDX-License-Identifier: Apache-2.0
#include "bench/opencl/cases.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>

namespace blockyard::bench {

namespace {

constexpr float rate = 0.02F, volatility = 0.3F;

void square(const float* a, const float*, float* out, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) out[i] = a[i] * a[i];
}

void vector_add(const float* a, const float* b, float* out, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) out[i] = a[i] + b[i];
}

void matrix_mul(const float* a, const float* b, float* out, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    const std::size_t row = i / matrix_extent, column = i % matrix_extent;
    float sum = 0;
    for (std::size_t k = 0; k < matrix_extent; ++k)
      sum += a[row * matrix_extent + k] * b[k * matrix_extent + column];
    out[i] = sum;
  }
}

void reduction(const float* a, const float*, float* out, std::size_t begin, std::size_t end) {
  float sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += a[i];
  *out = sum;
}

/// Counts are whole numbers in the bits of out.
void histogram(const float* a, const float*, float* out, std::size_t begin, std::size_t end) {
  std::array<int, bins> counts{};
  for (std::size_t i = begin; i < end; ++i)
    ++counts[static_cast<std::size_t>(a[i] * static_cast<float>(bins))];
  for (std::size_t bin = 0; bin < bins; ++bin) out[bin] = static_cast<float>(counts[bin]);
}

float normal(float x) { return 0.5F * std::erfc(-x * 0.70710678F); }

/// a: price of the share over its strike price, b: years.
void black_scholes(const float* a, const float* b, float* out, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    const float price = 0.5F + a[i], years = 0.25F + b[i], spread = volatility * std::sqrt(years);
    const float d = (std::log(price) + (rate + 0.5F * volatility * volatility) * years) / spread;
    out[i] = price * normal(d) - std::exp(-rate * years) * normal(d - spread);
  }
}

}  // namespace

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"square", std::size_t{1} << 22, 0, false, square},
      {"vector_add", std::size_t{1} << 22, 0, false, vector_add},
      {"matrix_mul", matrix_extent * matrix_extent, 0, false, matrix_mul},
      {"reduction", std::size_t{1} << 22, 1, true, reduction},
      {"histogram", std::size_t{1} << 20, bins, false, histogram},
      {"black_scholes", std::size_t{1} << 18, 0, false, black_scholes}};
  return all;
}

const char* kernel_source() {
  return R"cl(
#define ITEM                                                                    \
  global const float *a, global const float *b, global float *out, ulong n, ulong per
#define EACH                                                                    \
  const ulong begin = get_global_id(0) * per, end = min(begin + per, n);        \
  for (ulong i = begin; i < end; ++i)
kernel void square(ITEM) { EACH out[i] = a[i] * a[i]; }
kernel void vector_add(ITEM) { EACH out[i] = a[i] + b[i]; }
kernel void matrix_mul(ITEM) {
  EACH {
    const ulong row = i / 256, column = i % 256;
    float sum = 0;
    for (int k = 0; k < 256; ++k) sum += a[row * 256 + k] * b[k * 256 + column];
    out[i] = sum;
  }
}
kernel void reduction(ITEM) {
  float sum = 0;
  EACH sum += a[i];
  out[get_global_id(0)] = sum;
}
kernel void histogram(ITEM) {
  global int *counts = (global int *)out;
  if (per < 64) {
    EACH atomic_inc(counts + (int)(a[i] * 64));
    return;
  }
  int mine[64];
  for (int bin = 0; bin < 64; ++bin) mine[bin] = 0;
  EACH ++mine[(int)(a[i] * 64)];
  for (int bin = 0; bin < 64; ++bin) if (mine[bin] > 0) atomic_add(counts + bin, mine[bin]);
}
float normal(float x) { return 0.5f * erfc(-x * 0.70710678f); }
kernel void black_scholes(ITEM) {
  EACH {
    const float price = 0.5f + a[i], years = 0.25f + b[i], spread = 0.3f * sqrt(years);
    const float d = (log(price) + (0.02f + 0.045f) * years) / spread;
    out[i] = price * normal(d) - exp(-0.02f * years) * normal(d - spread);
  }
}
)cl";
}

void run_on_threads(const Case& one, const float* a, const float* b, std::vector<float>& out,
                    unsigned threads) {
  const std::size_t part = (one.elements + threads - 1) / threads;
  std::vector<std::jthread> running;
  for (unsigned t = 0; t < threads; ++t) {
    const std::size_t begin = t * part, end = std::min(one.elements, begin + part);
    float* to = out.data() + (one.results == 0 ? 0 : t * one.results);
    running.emplace_back([=, &one] { one.loop(a, b, to, begin, end); });
  }
}

}  // namespace blockyard::bench
