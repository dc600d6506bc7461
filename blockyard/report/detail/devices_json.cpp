// SPDX-License-Identifier: Apache-2.0
#include "blockyard/report/detail/devices_json.h"

#include "blockyard/report/detail/counts_json.h"

namespace blockyard::report::detail {

namespace {

double share(std::uint64_t part, std::uint64_t of) {
  return of == 0 ? 1.0 : static_cast<double>(part) / static_cast<double>(of);
}

}  // namespace

Json device_json(const block::ResidencyCounts& counts) {
  Json json = counts_json(block::device_metrics(), counts);
  json["pool_hit_ratio"] = share(counts.pool_hits, counts.pool_requests);
  json["host_pool_hit_ratio"] = share(counts.host_hits, counts.host_requests);
  json["host_lock_hit_ratio"] = share(counts.lock_hits, counts.lock_requests);
  return json;
}

Json devices_json(const job::Results& results) {
  std::vector<block::ResidencyCounts> sums(results.devices.size());
  for (const job::StepResult& step : results.steps)
    for (const worker::Metrics& metrics : step.metrics)
      if (metrics.device_number >= 0 &&
          static_cast<std::size_t>(metrics.device_number) < sums.size())
        base::merge(block::device_metrics(), sums[static_cast<std::size_t>(metrics.device_number)],
                    metrics.device);
  Json all = Json::array();
  for (std::size_t k = 0; k < sums.size(); ++k) {
    Json one = {{"number", k},
                {"kind", results.device_kind},
                {"name", results.devices[k].name},
                {"memory_bytes", results.devices[k].memory_bytes}};
    one.update(device_json(sums[k]));
    all.push_back(one);
  }
  return all;
}

}  // namespace blockyard::report::detail
