// SPDX-License-Identifier: Apache-2.0
#include "blockyard/block/residency_counts.h"

#include <utility>

namespace blockyard::block {

namespace {

using C = ResidencyCounts;
using enum base::Unit;
using enum base::Merge;

// clang-format off
constexpr base::Metric<ResidencyCounts> rows[] = {
  {&C::runs,          "runs",                count,   sum,     "super instructions on the device"},
  {&C::fallbacks,     "fallbacks",           count,   sum,     "super instructions on the host, for lack of device memory"},
  {&C::copies_in,     "copies_to_device",    count,   sum,     "copies from the host to the device"},
  {&C::bytes_in,      "bytes_to_device",     bytes,   sum,     "bytes of those copies"},
  {&C::peer_copies,   "peer_copies",         count,   sum,     "copies to the device of what other workers have on theirs"},
  {&C::peer_bytes,    "peer_bytes",          bytes,   sum,     "bytes of those copies"},
  {&C::copies_out,    "copies_from_device",  count,   sum,     "copies from the device to the host"},
  {&C::bytes_out,     "bytes_from_device",   bytes,   sum,     "bytes of those copies"},
  {&C::sent_blocks,   "sent_blocks",         count,   sum,     "of `copies_from_device`, sent to other processes while they were copied"},
  {&C::sent_pieces,   "sent_pieces",         count,   sum,     "pieces in which they were sent"},
  {&C::sent_bytes,    "sent_bytes",          bytes,   sum,     "bytes of those blocks"},
  {&C::direct_blocks, "direct_blocks",       count,   sum,     "blocks sent to other processes from the device, without a copy"},
  {&C::direct_bytes,  "direct_bytes",        bytes,   sum,     "bytes of those blocks"},
  {&C::saved_copies,  "saved_copies",        count,   sum,     "operands of runs that were on the device already, or only written"},
  {&C::saved_bytes,   "saved_bytes",         bytes,   sum,     "bytes of those operands"},
  {&C::ahead_copies,  "ahead_copies",        count,   sum,     "of `copies_to_device`, begun before their statement came"},
  {&C::ahead_unused,  "ahead_unused",        count,   sum,     "of `ahead_copies`, let go before use"},
  {&C::evictions,     "evictions",           count,   sum,     "copies on the device that made room for others"},
  {&C::written_back,  "written_back",        count,   sum,     "of `evictions`, modified"},
  {&C::pool_requests, "pool_requests",       count,   sum,     "requests for device memory"},
  {&C::pool_hits,     "pool_hits",           count,   sum,     "of `pool_requests`, answered by memory that was used before"},
  {&C::host_requests, "host_pool_requests",  count,   sum,     "requests for memory of the worker's own blocks"},
  {&C::host_hits,     "host_pool_hits",      count,   sum,     "of `host_pool_requests`, answered by memory that was used before"},
  {&C::lock_requests, "host_lock_requests",  count,   sum,     "copies from and to host memory that is to be page-locked"},
  {&C::lock_hits,     "host_lock_hits",      count,   sum,     "of `host_lock_requests`, where it was page-locked before"},
  {&C::locked_bytes,  "host_locked_bytes",   bytes,   maximum, "most host memory that was page-locked at a time, of the whole process"},
  {&C::peak_bytes,    "peak_bytes",          bytes,   maximum, "most device memory held"},
  {&C::failures,      "failures",            count,   sum,     "of the device, which is not used again after the first"},
  {&C::wait_seconds,  "wait_seconds",        seconds, sum,     "the host waited for copies from the device"},
};
// clang-format on
static_assert(base::has_row_for_each_field(rows));

}  // namespace

std::span<const base::Metric<ResidencyCounts>> device_metrics() noexcept { return rows; }

}  // namespace blockyard::block
