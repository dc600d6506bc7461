// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/metrics.h"

namespace blockyard::worker {

namespace {
double hits(std::uint64_t blocked, std::uint64_t accesses) {
  return accesses == 0 ? 1.0 : 1.0 - static_cast<double>(blocked) / static_cast<double>(accesses);
}

using C = Counts;
using enum base::Unit;
using enum base::Merge;

// clang-format off
constexpr base::Metric<Counts> rows[] = {
  {&C::seconds,            "seconds",            seconds, sum,     "wall time of the program"},
  {&C::barrier_seconds,    "barrier_seconds",    seconds, sum,     "waiting for other workers"},
  {&C::transfer_seconds,   "transfer_seconds",   seconds, sum,     "waiting for own puts to be acknowledged"},
  {&C::block_wait_seconds, "block_wait_seconds", seconds, sum,     "waiting for blocks"},
  {&C::disk_wait_seconds,  "disk_wait_seconds",  seconds, sum,     "of `block_wait_seconds`, while a server read or wrote its disk"},
  {&C::chunk_wait_seconds, "chunk_wait_seconds", seconds, sum,     "waiting for the next iterations of a pardo"},
  {&C::checkpoint_seconds, "checkpoint_seconds", seconds, sum,     "taking checkpoints"},
  {&C::instructions,       "instructions",       count,   sum,     "instructions of the program"},
  {&C::block_operations,   "block_operations",   count,   sum,     "statements on blocks"},
  {&C::flops,              "flops",              flops,   sum,     "floating-point operations of contractions"},
  {&C::iterations,         "iterations",         count,   sum,     "iterations of pardos"},
  {&C::gets,               "gets",               count,   sum,     "blocks that the program asked for"},
  {&C::cache_hits,         "cache_hits",         count,   sum,     "of `gets`, where the block was in the cache or under way"},
  {&C::prefetches,         "prefetches",         count,   sum,     "blocks asked for before their get"},
  {&C::wasted_prefetches,  "wasted_prefetches",  count,   sum,     "of `prefetches`, let go before use"},
  {&C::bytes_received,     "bytes_received",     bytes,   sum,     "bytes of blocks that came from servers"},
  {&C::bytes_sent,         "bytes_sent",         bytes,   sum,     "bytes of blocks that went to servers"},
  {&C::peak_bytes,         "peak_bytes",         bytes,   maximum, "most memory of blocks held"},
};
// clang-format on
static_assert(base::has_row_for_each_field(rows));

}  // namespace

std::span<const base::Metric<Counts>> worker_metrics() noexcept { return rows; }

double LineWait::hit_ratio() const { return hits(blocked, accesses); }

double LineWait::mean_wait_seconds() const {
  return gets == 0 ? 0.0 : wait_seconds / static_cast<double>(gets);
}

double Metrics::hit_ratio() const {
  std::uint64_t accesses = 0;
  std::uint64_t blocked = 0;
  for (const LineWait& line : lines) {
    accesses += line.accesses;
    blocked += line.blocked;
  }
  return hits(blocked, accesses);
}

}  // namespace blockyard::worker
