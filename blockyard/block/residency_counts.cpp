// SPDX-License-Identifier: Apache-2.0
#include "blockyard/block/residency_counts.h"

#include <algorithm>
#include <array>
#include <utility>

#include "blockyard/block/residency.h"

namespace blockyard::block {

namespace {

using Counts = ResidencyCounts;

/// All that is summed up.
constexpr std::array sums = {
    &Counts::runs,          &Counts::fallbacks,    &Counts::copies_in,     &Counts::bytes_in,
    &Counts::copies_out,    &Counts::bytes_out,    &Counts::saved_copies,  &Counts::saved_bytes,
    &Counts::evictions,     &Counts::written_back, &Counts::pool_requests, &Counts::pool_hits,
    &Counts::ahead_copies,  &Counts::ahead_unused, &Counts::host_requests, &Counts::host_hits,
    &Counts::lock_requests, &Counts::lock_hits,    &Counts::failures,      &Counts::sent_blocks,
    &Counts::sent_pieces,   &Counts::sent_bytes,   &Counts::direct_blocks, &Counts::direct_bytes,
    &Counts::peer_copies,   &Counts::peer_bytes};

}  // namespace

void ResidencyCounts::add(const ResidencyCounts& other) noexcept {
  for (const auto field : sums) this->*field += other.*field;
  wait_seconds += other.wait_seconds;
  peak_bytes = std::max(peak_bytes, other.peak_bytes);
  locked_bytes = std::max(locked_bytes, other.locked_bytes);
}

ResidencyCounts ResidencyCounts::since(const ResidencyCounts& before) const noexcept {
  ResidencyCounts rest = *this;
  for (const auto field : sums) rest.*field -= before.*field;
  rest.wait_seconds -= before.wait_seconds;
  return rest;
}

ResidencyCounts Residency::take_counts() {
  const ResidencyCounts all = counts();
  return all.since(std::exchange(taken_, all));
}

ResidencyCounts Residency::counts() const {
  ResidencyCounts all = counts_;
  all.pool_requests = pool_.requests();
  all.pool_hits = pool_.hits();
  if (options_.locks != nullptr)
    all.locked_bytes = static_cast<std::uint64_t>(options_.locks->peak_bytes());
  all.peak_bytes = static_cast<std::uint64_t>(pool_.peak_bytes());
  return all;
}

}  // namespace blockyard::block
