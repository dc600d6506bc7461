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

}  // namespace blockyard::cuda
