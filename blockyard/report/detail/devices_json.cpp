// SPDX-License-Identifier: Apache-2.0
#include "blockyard/report/detail/devices_json.h"

namespace blockyard::report::detail {

namespace {

double share(std::uint64_t part, std::uint64_t of) {
  return of == 0 ? 1.0 : static_cast<double>(part) / static_cast<double>(of);
}

}  // namespace

Json counts_json(const block::ResidencyCounts& counts) {
  return {{"runs", counts.runs},
          {"fallbacks", counts.fallbacks},
          {"copies_to_device", counts.copies_in},
          {"bytes_to_device", counts.bytes_in},
          {"peer_copies", counts.peer_copies},
          {"peer_bytes", counts.peer_bytes},
          {"copies_from_device", counts.copies_out},
          {"bytes_from_device", counts.bytes_out},
          {"sent_blocks", counts.sent_blocks},
          {"sent_pieces", counts.sent_pieces},
          {"sent_bytes", counts.sent_bytes},
          {"direct_blocks", counts.direct_blocks},
          {"direct_bytes", counts.direct_bytes},
          {"saved_copies", counts.saved_copies},
          {"saved_bytes", counts.saved_bytes},
          {"ahead_copies", counts.ahead_copies},
          {"ahead_unused", counts.ahead_unused},
          {"evictions", counts.evictions},
          {"written_back", counts.written_back},
          {"pool_hit_ratio", share(counts.pool_hits, counts.pool_requests)},
          {"host_pool_hit_ratio", share(counts.host_hits, counts.host_requests)},
          {"host_lock_hit_ratio", share(counts.lock_hits, counts.lock_requests)},
          {"host_locked_bytes", counts.locked_bytes},
          {"peak_bytes", counts.peak_bytes},
          {"failures", counts.failures},
          {"wait_seconds", counts.wait_seconds}};
}

Json devices_json(const job::Results& results) {
  std::vector<block::ResidencyCounts> sums(results.devices.size());
  for (const job::StepResult& step : results.steps)
    for (const worker::Metrics& metrics : step.metrics)
      if (metrics.device_number >= 0 &&
          static_cast<std::size_t>(metrics.device_number) < sums.size())
        sums[static_cast<std::size_t>(metrics.device_number)].add(metrics.device);
  Json all = Json::array();
  for (std::size_t k = 0; k < sums.size(); ++k) {
    Json one = {{"number", k},
                {"kind", results.device_kind},
                {"name", results.devices[k].name},
                {"memory_bytes", results.devices[k].memory_bytes}};
    one.update(counts_json(sums[k]));
    all.push_back(one);
  }
  return all;
}

}  // namespace blockyard::report::detail
