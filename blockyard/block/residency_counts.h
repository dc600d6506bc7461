// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "blockyard/base/metric.h"

namespace blockyard::block {

/// What a device did for one worker; device_metrics() says what each number means.
struct ResidencyCounts {
  std::uint64_t runs = 0;
  std::uint64_t fallbacks = 0;
  std::uint64_t copies_in = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t peer_copies = 0;
  std::uint64_t peer_bytes = 0;
  std::uint64_t copies_out = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t sent_blocks = 0;
  std::uint64_t sent_pieces = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t direct_blocks = 0;
  std::uint64_t direct_bytes = 0;
  std::uint64_t saved_copies = 0;
  std::uint64_t saved_bytes = 0;
  std::uint64_t ahead_copies = 0;
  std::uint64_t ahead_unused = 0;
  std::uint64_t evictions = 0;
  std::uint64_t written_back = 0;
  std::uint64_t pool_requests = 0;
  std::uint64_t pool_hits = 0;
  std::uint64_t host_requests = 0;
  std::uint64_t host_hits = 0;
  std::uint64_t lock_requests = 0;
  std::uint64_t lock_hits = 0;
  std::uint64_t locked_bytes = 0;
  std::uint64_t peak_bytes = 0;
  std::uint64_t failures = 0;
  double wait_seconds = 0;
};

/// A row for each field, in their order.
[[nodiscard]] std::span<const base::Metric<ResidencyCounts>> device_metrics() noexcept;

}  // namespace blockyard::block
