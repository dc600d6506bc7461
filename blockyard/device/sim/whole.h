// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/device/sim/operation.h"

namespace blockyard::device::sim {

/// As `check`, for the kinds of abi_kinds.h: triangular solves, LU, Cholesky and transforms; the
/// other kinds are unsupported here.
[[nodiscard]] blockyard_status check_whole(const blockyard_operation& operation, const char** why);

void run_whole(const blockyard_operation& operation, const double alpha[2], const Blocks& blocks);

}  // namespace blockyard::device::sim
