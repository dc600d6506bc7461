// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace blockyard::job {

/// How many events each of `ranks` ranks may hold for a time line: a whole one stays within 1 M.
[[nodiscard]] std::uint64_t trace_events_of_rank(int ranks) noexcept;
/// How many of them are written after a run of `seconds`: writing one takes a microsecond, and all
/// of them may take a hundredth of the run.
[[nodiscard]] std::uint64_t trace_events_of_rank(int ranks, double seconds) noexcept;

}  // namespace blockyard::job
