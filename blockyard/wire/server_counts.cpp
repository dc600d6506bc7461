// SPDX-License-Identifier: Apache-2.0
#include "blockyard/wire/server_counts.h"

namespace blockyard::wire {

namespace {

using C = ServerCounts;
using enum base::Unit;
using enum base::Merge;

// clang-format off
constexpr base::Metric<ServerCounts> rows[] = {
  {&C::gets,            "gets",            count, sum,     "blocks that were asked for"},
  {&C::puts,            "puts",            count, sum,     "blocks, or values for all elements of one, that came"},
  {&C::bytes_sent,      "bytes_sent",      bytes, sum,     "bytes of blocks sent"},
  {&C::bytes_received,  "bytes_received",  bytes, sum,     "bytes of blocks received"},
  {&C::spilled_bytes,   "spilled_bytes",   bytes, sum,     "bytes written to disk"},
  {&C::read_back_bytes, "read_back_bytes", bytes, sum,     "bytes read back from disk"},
  {&C::peak_bytes,      "peak_bytes",      bytes, maximum, "most memory of blocks held"},
};
// clang-format on
static_assert(base::has_row_for_each_field(rows));

}  // namespace

std::span<const base::Metric<ServerCounts>> server_metrics() noexcept { return rows; }

}  // namespace blockyard::wire
