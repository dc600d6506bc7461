// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "blockyard/fabric/memory.h"

namespace blockyard::fabric {

/// Memory of ranks that are threads of this process: one of these for each rank, all made at once,
/// in the order of ranks. Each goes to the thread of its rank; they may end in any order.
/// arena_bytes: how much a rank can give at one time; addresses only, until it is used.
[[nodiscard]] std::vector<std::unique_ptr<Memory>> loopback_memories(
    int size, std::size_t arena_bytes = std::size_t{1} << 36);

}  // namespace blockyard::fabric
