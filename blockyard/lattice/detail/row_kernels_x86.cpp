// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/detail/row_kernels.h"

namespace blockyard::lattice {

const RowKernels& row_kernels(bool plain) noexcept {
  if (plain) return row_kernels_plain();
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return row_kernels_avx512();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return row_kernels_avx2();
  return row_kernels_plain();
}

}  // namespace blockyard::lattice
