// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "blockyard/job/run.h"

namespace blockyard::job {

/// How many events each of `ranks` ranks may hold for a time line: a whole one stays within 1 M.
[[nodiscard]] std::uint64_t trace_events_of_rank(int ranks) noexcept;
/// How many of them are written when the run took so long: writing one takes a microsecond, and all
/// of it may take a hundredth of the run.
[[nodiscard]] std::uint64_t trace_events_of_rank(int ranks, double seconds) noexcept;

/// The time line of a run in the trace-event format (JSON, compressed with gzip), which Perfetto
/// and chrome://tracing open: a track for each worker, server, and thread of a server for its disk,
/// memory as counters, and how many short events stand in others. docs/report.md says what stands
/// for what.
[[nodiscard]] std::string trace_file(const Job& job, const Results& results);

}  // namespace blockyard::job
