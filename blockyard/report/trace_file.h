// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "blockyard/job/run.h"

namespace blockyard::report {

/// The time line of a run in the trace-event format (JSON, compressed with gzip), which Perfetto
/// and chrome://tracing open: a track for each worker, server, and thread of a server for its disk,
/// memory as counters, and how many short events were merged into others. docs/report.md explains
/// the names.
[[nodiscard]] std::string trace_file(const job::Job& job, const job::Results& results);

}  // namespace blockyard::report
