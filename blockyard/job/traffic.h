// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/job/job.h"
#include "blockyard/worker/metrics.h"

namespace blockyard::job {

/// Whether the bytes that a worker moved are kept by groups of processes, not by server: where
/// there are more than base::most_groups servers, in several processes.
[[nodiscard]] bool is_traffic_grouped(const Job& job) noexcept;

/// Adds up `bytes_from_servers` and `bytes_to_servers` by groups of processes (base::in_each_group)
/// if they are kept so.
void group_traffic(const Job& job, worker::Metrics& metrics);

}  // namespace blockyard::job
