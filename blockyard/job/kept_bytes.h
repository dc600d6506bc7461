// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "blockyard/worker/worker.h"

namespace blockyard::job {

/// What workers keep between programs, for other processes of the same build.
[[nodiscard]] std::vector<std::byte> encode(const worker::Kept& kept);
[[nodiscard]] worker::Kept decode_kept(std::span<const std::byte> bytes);

}  // namespace blockyard::job
