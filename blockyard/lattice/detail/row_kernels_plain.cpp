// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/detail/row_kernel_body.h"

namespace blockyard::lattice {

const RowKernels& row_kernels_plain() noexcept {
  static constexpr RowKernels kernels{add, add_exactly, "plain"};
  return kernels;
}

}  // namespace blockyard::lattice
