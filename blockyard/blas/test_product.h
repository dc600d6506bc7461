// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/blas/level3.h"

/// For tests of calls.
namespace blockyard::blas {

/// c = a b without gaps between columns: m x k times k x n.
inline Call<double> plain_product(std::int64_t m, std::int64_t n, std::int64_t k, const double* a,
                                  const double* b, double* c) {
  return {.m = m, .n = n, .k = k, .alpha = 1, .a = a, .lda = m, .b = b, .ldb = k, .c = c, .ldc = m};
}

}  // namespace blockyard::blas
