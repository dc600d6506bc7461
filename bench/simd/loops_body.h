// SPDX-License-Identifier: Apache-2.0
// The loops of loops.h. Included by files that are compiled for different instruction sets, so that
// nothing here may have a name outside of its file.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "bench/simd/loops.h"

namespace blockyard::bench {
namespace {

void n_body(const float* xyzm, float* out) {
  const float *x = xyzm, *y = x + bodies, *z = y + bodies, *m = z + bodies;
  for (int i = 0; i < bodies; ++i) {
    const float xi = x[i], yi = y[i], zi = z[i];
    float ax = 0, ay = 0, az = 0;
#pragma omp simd reduction(+ : ax, ay, az)
    for (int j = 0; j < bodies; ++j) {
      const float dx = x[j] - xi, dy = y[j] - yi, dz = z[j] - zi;
      const float square = dx * dx + dy * dy + dz * dz + 0.01F;
      const float force = m[j] / (square * std::sqrt(square));
      ax += force * dx;
      ay += force * dy;
      az += force * dz;
    }
    out[i] = ax;
    out[bodies + i] = ay;
    out[2 * bodies + i] = az;
  }
}

void convolve_image(const float* in, const float* filter, float* out) {
  constexpr int width = image_side + filter_side - 1;
  for (int row = 0; row < image_side; ++row) {
#pragma omp simd
    for (int column = 0; column < image_side; ++column) {
      float sum = 0;
      for (int j = 0; j < filter_side; ++j)
        for (int i = 0; i < filter_side; ++i)
          sum += filter[j * filter_side + i] * in[(row + j) * width + column + i];
      out[row * image_side + column] = sum;
    }
  }
}

void back_project(const float* images, const float* cos_sin, float* volume) {
  constexpr float middle = 0.5F * volume_side;
  for (int z = 0; z < volume_side; ++z)
    for (int y = 0; y < volume_side; ++y) {
      float* const line = volume + (z * volume_side + y) * volume_side;
      for (int p = 0; p < projections; ++p) {
        const float* const row = images + (p * volume_side + z) * detector_side;
        const float c = cos_sin[2 * p], s = cos_sin[2 * p + 1] * (static_cast<float>(y) - middle);
#pragma omp simd
        for (int x = 0; x < volume_side; ++x)
          line[x] +=
              row[static_cast<int>((static_cast<float>(x) - middle) * c + s + middle + 8.0F)];
      }
    }
}

void convolve_signal(const float* signal, const float* filter, float* out) {
  const float *re = signal, *im = signal + signal_length + taps;
#pragma omp simd
  for (int n = 0; n < signal_length; ++n) {
    float sum_re = 0, sum_im = 0;
    for (int k = 0; k < taps; ++k) {
      sum_re += re[n + k] * filter[k] - im[n + k] * filter[taps + k];
      sum_im += re[n + k] * filter[taps + k] + im[n + k] * filter[k];
    }
    out[n] = sum_re;
    out[signal_length + n] = sum_im;
  }
}

void search(const float* keys, const float* asked, std::int32_t* found) {
#pragma omp simd
  for (int q = 0; q < queries; ++q) {
    std::int32_t node = 1;
    for (int level = 0; level < tree_levels; ++level)
      node = 2 * node + (keys[node] < asked[q] ? 1 : 0);
    found[q] = node;
  }
}

void add_rows_of_7(const double* in, const double* factors, double* out) {
  for (int k = 0; k < short_columns; ++k) out[k] = 0;
  for (int row = 0; row < short_rows; ++row) {
#pragma omp simd
    for (int k = 0; k < short_columns; ++k) out[k] += factors[row] * in[row * short_stride + k];
  }
}

/// C(l,j) = sum over i of A(i,l) B(i,j), first index fastest.
template <class T>
void multiply(const T* a, const T* b, T* c) {
  for (int j = 0; j < 4; ++j)
    for (int l = 0; l < 4; ++l) {
      T sum = 0;
      for (int i = 0; i < 4; ++i) sum += a[i + 4 * l] * b[i + 4 * j];
      c[l + 4 * j] = sum;
    }
}

/// That, and D(j,k) = sum over i of B(j,i) A(i,k).
template <class T>
void pair(const T* a, const T* b, T* c, T* d) {
  multiply(a, b, c);
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 4; ++j) {
      T sum = 0;
      for (int i = 0; i < 4; ++i) sum += b[j + 4 * i] * a[i + 4 * k];
      d[j + 4 * k] = sum;
    }
}

float sum_of_roots(const float* y, int n) {
  float x = 10;
#pragma omp simd reduction(+ : x)
  for (int k = 0; k < n; ++k) x += std::sqrt(y[k]);
  return x;
}

float coordinate(int i, float begin) {
  return begin + 2.5F * static_cast<float>(i) / static_cast<float>(mandelbrot_side);
}

void mandelbrot_row(int row, std::int32_t* steps) {
  const float im = coordinate(row, -1.25F);
  for (int i = 0; i < mandelbrot_side; ++i) {
    const float re = coordinate(i, -2.0F);
    float x = re, y = im;
    std::int32_t count = 1;
    while (count < most_steps) {
      const float old = x;
      x = x * x - y * y + re;
      y = 2 * old * y + im;
      if (x * x + y * y >= 4.0F) break;
      ++count;
    }
    steps[i] = count;
  }
}

float lists(const float* xyz, const int* lengths) {
  float energy = 0;
  for (int list = 0; list < list_count; ++list) {
    const float *x = xyz + list * list_stride, *y = x + list_count * list_stride,
                *z = y + list_count * list_stride;
    const int length = lengths[list];
#pragma omp simd reduction(+ : energy)
    for (int k = 0; k < length; ++k) {
      const float inverse = 1 / (x[k] * x[k] + y[k] * y[k] + z[k] * z[k]);
      const float sixth = inverse * inverse * inverse;
      energy += sixth * (sixth - 1);
    }
  }
  return energy;
}

/// c = a b of n x n matrices, a column of c at a time.
template <class T, int n>
void square(const T* a, const T* b, T* c) {
  for (int j = 0; j < n; ++j) {
    T column[n] = {};
    for (int l = 0; l < n; ++l) {
#pragma omp simd
      for (int i = 0; i < n; ++i) column[i] += a[i + n * l] * b[l + n * j];
    }
    for (int i = 0; i < n; ++i) c[i + n * j] = column[i];
  }
}
constexpr std::make_integer_sequence<int, most_side - least_side + 1> sides{};
template <class T, int... side>
constexpr Squares<T> squares(std::integer_sequence<int, side...>) {
  return {square<T, least_side + side>...};
}

constexpr Loops loops_here = {
    n_body,      convolve_image,        back_project,          convolve_signal,
    search,      add_rows_of_7,         multiply<float>,       multiply<double>,
    pair<float>, pair<double>,          sum_of_roots,          mandelbrot_row,
    lists,       squares<float>(sides), squares<double>(sides)};

}  // namespace
}  // namespace blockyard::bench
