// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "plugins/device_cuda/kernels.h"

// The kernels that move elements. The including file defines their terms: CUDA
// (kernels.cu), or threads_on_host.h.

namespace blockyard::cuda {
namespace {

constexpr int tile = 32;      // elements along both sides of a transposed tile
constexpr int tile_rows = 8;  // threads along the second side

template <class T>
struct Pair {
  T re, im;
};

__device__ float times(float a, float b) { return a * b; }
__device__ double times(double a, double b) { return a * b; }
/// A real factor keeps the parts apart: infinite ones would become NaN.
template <class T>
__device__ Pair<T> times(Pair<T> a, Pair<T> b) {
  if (a.im == 0) return {a.re * b.re, a.re * b.im};
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class T>
__device__ T plus(T a, T b) {
  return a + b;
}
template <class T>
__device__ Pair<T> plus(Pair<T> a, Pair<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
__device__ T conjugated(T a, bool) {
  return a;
}
template <class T>
__device__ Pair<T> conjugated(Pair<T> a, bool yes) {
  return {a.re, yes ? -a.im : a.im};
}

template <class T>
struct Job {
  Walk walk;
  const T* from;
  T* result;
  T alpha, beta;
  bool conjugate;
  bool overwrites;  // beta is zero: the result is not read

  __device__ void give(std::int64_t to, T value) const {
    const T scaled = times(alpha, conjugated(value, conjugate));
    result[to] = overwrites ? scaled : plus(scaled, times(beta, result[to]));
  }
};

// Both sides are walked in the order of the result. Dividing 64-bit numbers takes far longer than
// moving an element: `Number` is a shorter one where that holds `count` and a step more.
template <class T, class Number>
__global__ void reorder_along(Job<T> job, Number count) {
  const Number step = static_cast<Number>(gridDim.x) * blockDim.x;
  for (Number i = blockIdx.x * static_cast<Number>(blockDim.x) + threadIdx.x; i < count;
       i += step) {
    Number rest = i;
    std::int64_t to = 0, from = 0;
    for (int axis = 0; axis < job.walk.order; ++axis) {
      const Number extent = static_cast<Number>(job.walk.extent[axis]);
      const bool is_last = axis + 1 == job.walk.order;
      const std::int64_t at = is_last ? rest : rest % extent;
      if (!is_last) rest /= extent;
      to += at * job.walk.to[axis];
      from += at * job.walk.from[axis];
    }
    job.give(to, job.from[from]);
  }
}

// Tiles of axis 0 (fastest in the result) times axis `fast` (fastest in the operand), through
// shared memory so that both sides are read and written along their fastest axis.
template <class T>
__global__ void reorder_tiles(Job<T> job, int fast, std::int64_t tiles_0, std::int64_t rest_count) {
  __shared__ T held[tile][tile + 1];
  const Walk& walk = job.walk;
  const std::int64_t begin_0 = blockIdx.x % tiles_0 * tile, begin_f = blockIdx.x / tiles_0 * tile;
  for (std::int64_t other = blockIdx.y; other < rest_count; other += gridDim.y) {
    std::int64_t rest = other, to = 0, from = 0;
    for (int axis = 1; axis < walk.order; ++axis) {
      if (axis == fast) continue;
      const std::int64_t at = rest % walk.extent[axis];
      rest /= walk.extent[axis];
      to += at * walk.to[axis];
      from += at * walk.from[axis];
    }
    for (int row = threadIdx.y; row < tile; row += tile_rows) {
      const std::int64_t i = begin_0 + row, j = begin_f + threadIdx.x;
      if (i < walk.extent[0] && j < walk.extent[fast])
        held[row][threadIdx.x] = job.from[from + i * walk.from[0] + j * walk.from[fast]];
    }
    __syncthreads();
    for (int row = threadIdx.y; row < tile; row += tile_rows) {
      const std::int64_t i = begin_0 + threadIdx.x, j = begin_f + row;
      if (i < walk.extent[0] && j < walk.extent[fast])
        job.give(to + i * walk.to[0] + j * walk.to[fast], held[threadIdx.x][row]);
    }
    __syncthreads();
  }
}

template <class T>
__global__ void fill(T* to, T value, std::uint64_t count) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
       i < count; i += step)
    to[i] = value;
}

/// `to` has count + 1 elements of as many parts each: a number and zeros; the last one is info.
template <class Real, class From>
__global__ void tell(const From* from, const int* info, Real* to, std::uint64_t count, int parts) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
       i <= count; i += step) {
    if (i < count && from == nullptr) continue;
    to[i * parts] = i == count ? static_cast<Real>(*info) : static_cast<Real>(from[i]);
    if (parts == 2) to[i * parts + 1] = 0;
  }
}

/// Sets `found` if an element of a matrix, of so many parts each, is infinite or NaN: of all of
/// it, or of the triangle that is read.
template <class Real>
__global__ void look_for_infinite(const Real* matrix, std::int64_t rows, std::int64_t columns,
                                  int parts, Triangle triangle, int* found) {
  const std::int64_t count = rows * columns * parts;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < count;
       i += step) {
    const std::int64_t row = i / parts % rows, column = i / parts / rows;
    if ((triangle == Triangle::upper && row > column) ||
        (triangle == Triangle::lower && row < column))
      continue;
    if (!(matrix[i] - matrix[i] == 0)) *found = 1;
  }
}

}  // namespace
}  // namespace blockyard::cuda
