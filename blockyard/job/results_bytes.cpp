// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/results_bytes.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "blockyard/base/fields.h"

namespace blockyard::job {

namespace {

/// The one list of fields, for writing and reading.
template <class Stream, class Metrics>
void metrics_fields(Stream& stream, Metrics& m) {
  using Counts = std::conditional_t<std::is_const_v<Metrics>, const worker::Counts, worker::Counts>;
  stream.fields(static_cast<Counts&>(m), m.supers, m.bytes_from_servers, m.bytes_to_servers,
                m.device_number, m.device);
  stream.each(m.lines, [&](auto& line) {
    stream.fields(line.place, line.array, line.gets, line.cache_hits, line.early_hits,
                  line.accesses, line.blocked, line.wait_seconds, line.first_wait_seconds,
                  line.depth, line.wasted, line.reason);
  });
  stream.each(m.line_times, [&](auto& line) {
    stream.fields(line.place, line.times, line.seconds, line.block_wait_seconds,
                  line.disk_wait_seconds, line.barrier_wait_seconds, line.put_wait_seconds);
  });
  stream.each(m.pardos, [&](auto& pardo) {
    stream.fields(pardo.place, pardo.policy, pardo.entered, pardo.iterations, pardo.seconds,
                  pardo.wait_seconds);
  });
}

}  // namespace

std::vector<std::byte> encode_part(const Results& results, int workers) {
  base::FieldWriter out;
  out.fields(results.first_worker, workers, results.peak_block_bytes, results.peak_rss_bytes,
             results.device_kind);
  out.each(results.devices, [&](const DeviceInfo& device) {
    out.fields(device.name, device.memory_bytes, device.choices);
  });
  out.field(static_cast<std::uint64_t>(results.steps.size()));
  for (const StepResult& step : results.steps) {
    out.field(step.warnings);
    for (const worker::Metrics& metrics :
         std::span(step.metrics).first(static_cast<std::size_t>(workers)))
      metrics_fields(out, metrics);
  }
  // Only those of this process: all of them from each would grow with the square of the processes.
  for (std::size_t rank = 0; rank < results.ranks.size(); ++rank) {
    const RankRecord& own = results.ranks[rank];
    if (!own.memory.empty() || !own.trace.empty()) out.fields(true, rank, own.memory, own.trace);
  }
  out.field(false);
  return out.take();
}

void add_part(std::span<const std::byte> bytes, Results& results) {
  base::FieldReader in(bytes);
  int first = 0, workers = 0;
  std::int64_t block_bytes = 0, rss_bytes = 0;
  std::string kind;
  std::vector<DeviceInfo> devices;
  in.fields(first, workers, block_bytes, rss_bytes, kind);
  in.each(devices,
          [&](DeviceInfo& device) { in.fields(device.name, device.memory_bytes, device.choices); });
  // Each process opens its own when its workers have done enough.
  if (results.devices.empty() && kind != "none") results.device_kind = kind;
  if (devices.size() > results.devices.size()) results.devices = std::move(devices);
  results.peak_block_bytes += block_bytes;
  results.peak_rss_bytes = std::max(results.peak_rss_bytes, rss_bytes);
  // A process that only serves does not know after which step a run ended that did not converge.
  std::uint64_t steps = 0;
  in.field(steps);
  for (std::uint64_t k = 0; k < steps; ++k) {
    StepResult unknown;
    StepResult& step = k < results.steps.size() ? results.steps[k] : unknown;
    std::vector<std::string> warnings;
    in.field(warnings);
    for (std::string& warning : warnings)
      if (std::ranges::find(step.warnings, warning) == step.warnings.end())
        step.warnings.push_back(std::move(warning));
    for (int worker = first; worker < first + workers; ++worker) {
      worker::Metrics read;
      metrics_fields(in, read);
      if (&step != &unknown) step.metrics.at(static_cast<std::size_t>(worker)) = std::move(read);
    }
  }
  bool has_more = false;
  for (in.field(has_more); has_more; in.field(has_more)) {
    std::size_t rank = 0;
    RankRecord theirs;
    in.fields(rank, theirs.memory, theirs.trace);
    results.ranks.at(rank) = std::move(theirs);
  }
}

}  // namespace blockyard::job
