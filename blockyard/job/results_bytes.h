// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "blockyard/job/run.h"

namespace blockyard::job {

/// The results that only this process knows: metrics and warnings of its `workers` workers, and its
/// peaks of memory.
[[nodiscard]] std::vector<std::byte> encode_part(const Results& results, int workers);

/// Puts the part of another process into the results, which are those of process 0.
void add_part(std::span<const std::byte> bytes, Results& results);

}  // namespace blockyard::job
