// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace blockyard::fabric::node {

/// A bit for each processor that a rank may run on.
using Processors = std::array<std::uint64_t, 16>;

/// Whether each rank can have a processor of its own: then polling costs no other rank anything.
/// Ranks that may only run on the same one cannot, however many others there are. quota: how many
/// processors all of them may use at a time.
[[nodiscard]] bool have_own_processors(std::span<const Processors> ranks, std::optional<int> quota);

}  // namespace blockyard::fabric::node
