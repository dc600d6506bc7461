// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/traffic.h"

#include "blockyard/base/groups.h"
#include "blockyard/job/processes.h"

namespace blockyard::job {

bool is_traffic_grouped(const Job& job) noexcept {
  return job.processes > 1 && job.servers > base::most_groups;
}

void group_traffic(const Job& job, worker::Metrics& metrics) {
  if (!is_traffic_grouped(job)) return;
  const std::vector<int> process_of = place_ranks(job);
  for (auto* const bytes : {&metrics.bytes_from_servers, &metrics.bytes_to_servers}) {
    std::vector<std::uint64_t> sums(static_cast<std::size_t>(base::group_count(job.processes)));
    for (std::size_t server = 0; server < bytes->size(); ++server) {
      const int process = process_of[static_cast<std::size_t>(job.workers) + server];
      sums[static_cast<std::size_t>(process / base::in_each_group(job.processes))] +=
          (*bytes)[server];
    }
    *bytes = std::move(sums);
  }
}

}  // namespace blockyard::job
