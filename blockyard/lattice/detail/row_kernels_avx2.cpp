// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/detail/row_kernel_body.h"

namespace blockyard::lattice {

const RowKernels& row_kernels_avx2() noexcept {
  static constexpr RowKernels kernels{add, add_exactly, "avx2"};
  return kernels;
}

}  // namespace blockyard::lattice
