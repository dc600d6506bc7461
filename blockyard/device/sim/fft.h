// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/device/sim/operation.h"

namespace blockyard::device::sim {

/// As `check`, for transforms.
[[nodiscard]] blockyard_status check_fft(const blockyard_operation& operation, const char** why);

/// By the sums of their definition: as many steps for each element as its indexes have values.
void run_fft(const blockyard_operation& operation, double alpha, const Blocks& blocks);

/// As is usual for transforms: 5 n log2(n) for n complex elements, half of that for real ones.
[[nodiscard]] double fft_flops(const blockyard_operation& operation);

}  // namespace blockyard::device::sim
