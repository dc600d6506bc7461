// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

struct CUstream_st;  // what a stream of CUDA points to

namespace blockyard::cuda {

/// The axes of a reordering, fastest in the result first; strides in elements.
struct Walk {
  int order = 0;
  std::int64_t extent[8] = {};
  std::int64_t to[8] = {};    ///< stride in the result
  std::int64_t from[8] = {};  ///< stride in the operand
};

/// The axis that is fastest in the operand, where tiles of it and of axis 0 pay; else 0. Of shorter
/// sides most threads of a tile would have no work.
[[nodiscard]] inline int tiled_axis(const Walk& walk) {
  constexpr std::int64_t least_side = 8;
  for (int axis = 1; axis < walk.order; ++axis)
    if (walk.from[axis] == 1)
      return walk.extent[0] < least_side || walk.extent[axis] < least_side ? 0 : axis;
  return 0;
}

/// Alpha and beta, with the real part first. `element`: as in abi.h.
struct Factors {
  double alpha[2] = {1, 0};
  double beta[2] = {0, 0};
};

/// result = alpha * from, walked, + beta * result. Only enqueues; cudaGetLastError tells failures.
void launch_reorder(CUstream_st* stream, std::uint32_t element, const Walk& walk, const void* from,
                    void* result, bool conjugate, const Factors& factors);
void launch_fill(CUstream_st* stream, std::uint32_t element, void* to, const double value[2],
                 std::uint64_t count);

/// Numbers next to a result, as a library has left them; info comes after them.
struct Numbers {
  enum class Kind { none, integers, reals };  ///< none: they are there; of 64 bits; as elements
  Kind kind = Kind::none;
  const void* from = nullptr;
  const int* info = nullptr;
};
void launch_numbers(CUstream_st* stream, std::uint32_t element, const Numbers& numbers,
                    std::uint64_t count, void* to);

enum class Triangle { whole, upper, lower };
/// Sets `found`, a number of the device, to 1 if the part of a matrix has an element that is
/// infinite or NaN.
void launch_look_for_infinite(CUstream_st* stream, std::uint32_t element, const void* matrix,
                              std::int64_t rows, std::int64_t columns, Triangle triangle,
                              int* found);

}  // namespace blockyard::cuda
