// SPDX-License-Identifier: Apache-2.0
// Moving elements: fill and reorder. The arithmetic of contractions is cuBLAS's.
#include <algorithm>

#include "blockyard/device/abi.h"
#include "plugins/device_cuda/kernels.h"

namespace blockyard::cuda {
namespace {

constexpr int tile = 32;      // elements along both sides of a transposed tile
constexpr int tile_rows = 8;  // threads along the second side
constexpr int threads = 256;  // of a block that walks along the result
constexpr unsigned most_blocks = 1U << 16;
constexpr int least_side = tile / 4;  // shorter sides leave most threads of a tile without work
constexpr std::uint64_t most_short = 1ULL << 31;  // counts for 32-bit numbers

template <class T>
struct Pair {
  T re, im;
};

__device__ float times(float a, float b) { return a * b; }
__device__ double times(double a, double b) { return a * b; }
template <class T>
__device__ Pair<T> times(Pair<T> a, Pair<T> b) {
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

unsigned blocks_for(std::uint64_t count) {
  return static_cast<unsigned>(
      std::clamp<std::uint64_t>((count + threads - 1) / threads, 1, most_blocks));
}

template <class T>
void reorder(cudaStream_t stream, const Job<T>& job) {
  const Walk& walk = job.walk;
  std::int64_t count = 1;
  int fast = 0;
  for (int axis = 0; axis < walk.order; ++axis) {
    count *= walk.extent[axis];
    if (axis > 0 && walk.from[axis] == 1) fast = axis;
  }
  if (fast == 0 || walk.extent[0] < least_side || walk.extent[fast] < least_side) {
    const auto all = static_cast<std::uint64_t>(count);
    if (all < most_short)
      reorder_along<<<blocks_for(all), threads, 0, stream>>>(job, static_cast<std::uint32_t>(all));
    else
      reorder_along<<<blocks_for(all), threads, 0, stream>>>(job, all);
    return;
  }
  const std::int64_t tiles_0 = (walk.extent[0] + tile - 1) / tile;
  const std::int64_t tiles_f = (walk.extent[fast] + tile - 1) / tile;
  const std::int64_t rest = count / walk.extent[0] / walk.extent[fast];
  const dim3 grid(static_cast<unsigned>(tiles_0 * tiles_f),
                  static_cast<unsigned>(std::min<std::int64_t>(rest, 65535)));
  reorder_tiles<<<grid, dim3(tile, tile_rows), 0, stream>>>(job, fast, tiles_0, rest);
}

template <class T>
T number(const double parts[2], T*) {
  return static_cast<T>(parts[0]);
}
template <class T>
Pair<T> number(const double parts[2], Pair<T>*) {
  return {static_cast<T>(parts[0]), static_cast<T>(parts[1])};
}

/// Calls body with a null pointer to the element type.
template <class Body>
void with_element(std::uint32_t element, const Body& body) {
  switch (element) {
    case BLOCKYARD_F32:
      return body(static_cast<float*>(nullptr));
    case BLOCKYARD_F64:
      return body(static_cast<double*>(nullptr));
    case BLOCKYARD_C64:
      return body(static_cast<Pair<float>*>(nullptr));
    default:
      return body(static_cast<Pair<double>*>(nullptr));
  }
}

}  // namespace

void launch_reorder(cudaStream_t stream, std::uint32_t element, const Walk& walk, const void* from,
                    void* result, bool conjugate, const Factors& factors) {
  with_element(element, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    const bool overwrites = factors.beta[0] == 0 && factors.beta[1] == 0;
    reorder(stream,
            Job<T>{walk, static_cast<const T*>(from), static_cast<T*>(result),
                   number(factors.alpha, type), number(factors.beta, type), conjugate, overwrites});
  });
}

void launch_fill(cudaStream_t stream, std::uint32_t element, void* to, const double value[2],
                 std::uint64_t count) {
  if (count == 0) return;
  with_element(element, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    fill<<<blocks_for(count), threads, 0, stream>>>(static_cast<T*>(to), number(value, type),
                                                    count);
  });
}

}  // namespace blockyard::cuda
