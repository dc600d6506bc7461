// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/detail/row_kernels.h"

namespace blockyard::lattice {

const RowKernels& row_kernels(bool /*plain*/) noexcept { return row_kernels_plain(); }

}  // namespace blockyard::lattice
