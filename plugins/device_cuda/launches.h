// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <type_traits>

#include "blockyard/device/abi.h"
#include "plugins/device_cuda/kernels.h"
#include "plugins/device_cuda/moving.h"

// Which kernel moves what, and on how many threads. The including file must define
//   launch(stream, kernel, grid, block, arguments...)
// on the GPU (kernels.cu), or one thread after the other on the processor (moving_test.cpp).

namespace blockyard::cuda {
namespace {

constexpr int threads = 256;  // of a block that walks along the result
constexpr unsigned most_blocks = 1U << 16;
constexpr std::uint64_t most_short = 1ULL << 31;  // counts for 32-bit numbers

unsigned blocks_for(std::uint64_t count) {
  return static_cast<unsigned>(
      std::clamp<std::uint64_t>((count + threads - 1) / threads, 1, most_blocks));
}

template <class T>
void reorder(CUstream_st* stream, const Job<T>& job) {
  const Walk& walk = job.walk;
  std::int64_t count = 1;
  for (int axis = 0; axis < walk.order; ++axis) count *= walk.extent[axis];
  const int fast = tiled_axis(walk);
  if (fast == 0) {
    const auto all = static_cast<std::uint64_t>(count);
    if (all < most_short)
      launch(stream, reorder_along<T, std::uint32_t>, blocks_for(all), threads, job,
             static_cast<std::uint32_t>(all));
    else
      launch(stream, reorder_along<T, std::uint64_t>, blocks_for(all), threads, job, all);
    return;
  }
  const std::int64_t tiles_0 = (walk.extent[0] + tile - 1) / tile;
  const std::int64_t tiles_f = (walk.extent[fast] + tile - 1) / tile;
  const std::int64_t rest = count / walk.extent[0] / walk.extent[fast];
  const dim3 grid(static_cast<unsigned>(tiles_0 * tiles_f),
                  static_cast<unsigned>(std::min<std::int64_t>(rest, 65535)));
  launch(stream, reorder_tiles<T>, grid, dim3(tile, tile_rows), job, fast, tiles_0, rest);
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

void launch_reorder(CUstream_st* stream, std::uint32_t element, const Walk& walk, const void* from,
                    void* result, bool conjugate, const Factors& factors) {
  with_element(element, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    const bool overwrites = factors.beta[0] == 0 && factors.beta[1] == 0;
    reorder(stream,
            Job<T>{walk, static_cast<const T*>(from), static_cast<T*>(result),
                   number(factors.alpha, type), number(factors.beta, type), conjugate, overwrites});
  });
}

void launch_fill(CUstream_st* stream, std::uint32_t element, void* to, const double value[2],
                 std::uint64_t count) {
  if (count == 0) return;
  with_element(element, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    launch(stream, fill<T>, blocks_for(count), threads, static_cast<T*>(to), number(value, type),
           count);
  });
}

namespace {

template <class Real>
void tell_numbers(CUstream_st* stream, const Numbers& numbers, std::uint64_t count, Real* to,
                  int parts) {
  if (numbers.kind == Numbers::Kind::integers)
    launch(stream, tell<Real, std::int64_t>, blocks_for(count + 1), threads,
           static_cast<const std::int64_t*>(numbers.from), numbers.info, to, count, parts);
  else
    launch(stream, tell<Real, Real>, blocks_for(count + 1), threads,
           static_cast<const Real*>(numbers.from), numbers.info, to, count, parts);
}

}  // namespace

void launch_numbers(CUstream_st* stream, std::uint32_t element, const Numbers& numbers,
                    std::uint64_t count, void* to) {
  const int parts = element == BLOCKYARD_C64 || element == BLOCKYARD_C128 ? 2 : 1;
  if (element == BLOCKYARD_F32 || element == BLOCKYARD_C64)
    tell_numbers(stream, numbers, count, static_cast<float*>(to), parts);
  else
    tell_numbers(stream, numbers, count, static_cast<double*>(to), parts);
}

void launch_look_for_infinite(CUstream_st* stream, std::uint32_t element, const void* matrix,
                              std::int64_t rows, std::int64_t columns, Triangle triangle,
                              int* found) {
  const int parts = element == BLOCKYARD_C64 || element == BLOCKYARD_C128 ? 2 : 1;
  const unsigned blocks = blocks_for(static_cast<std::uint64_t>(rows * columns * parts));
  if (element == BLOCKYARD_F32 || element == BLOCKYARD_C64)
    launch(stream, look_for_infinite<float>, blocks, threads, static_cast<const float*>(matrix),
           rows, columns, parts, triangle, found);
  else
    launch(stream, look_for_infinite<double>, blocks, threads, static_cast<const double*>(matrix),
           rows, columns, parts, triangle, found);
}

}  // namespace blockyard::cuda
