// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/results_bytes.h"

#include <algorithm>

#include "blockyard/base/fields.h"

namespace blockyard::job {

namespace {

/// The one list of fields, for writing and reading.
template <class Stream, class Metrics>
void metrics_fields(Stream& stream, Metrics& m) {
  stream.fields(m.seconds, m.barrier_seconds, m.transfer_seconds, m.block_wait_seconds,
                m.instructions, m.block_operations, m.flops, m.iterations, m.gets, m.cache_hits,
                m.prefetches, m.wasted_prefetches, m.bytes_received, m.bytes_sent, m.peak_bytes,
                m.supers);
  stream.each(m.lines, [&](auto& line) {
    stream.fields(line.place, line.array, line.gets, line.accesses, line.blocked, line.wait_seconds,
                  line.first_wait_seconds, line.depth, line.wasted, line.reason);
  });
}

}  // namespace

std::vector<std::byte> encode_part(const Results& results, int first, int last) {
  base::FieldWriter out;
  out.fields(first, last, results.peak_block_bytes, results.peak_rss_bytes);
  for (const StepResult& step : results.steps) {
    out.field(step.warnings);
    for (int worker = first; worker < last; ++worker)
      metrics_fields(out, step.metrics[static_cast<std::size_t>(worker)]);
  }
  return out.take();
}

void add_part(std::span<const std::byte> bytes, Results& results) {
  base::FieldReader in(bytes);
  int first = 0, last = 0;
  std::int64_t block_bytes = 0, rss_bytes = 0;
  in.fields(first, last, block_bytes, rss_bytes);
  results.peak_block_bytes += block_bytes;
  results.peak_rss_bytes = std::max(results.peak_rss_bytes, rss_bytes);
  for (StepResult& step : results.steps) {
    std::vector<std::string> warnings;
    in.field(warnings);
    for (std::string& warning : warnings)
      if (std::ranges::find(step.warnings, warning) == step.warnings.end())
        step.warnings.push_back(std::move(warning));
    for (int worker = first; worker < last; ++worker)
      metrics_fields(in, step.metrics[static_cast<std::size_t>(worker)]);
  }
}

}  // namespace blockyard::job
