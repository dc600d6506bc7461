// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "blockyard/base/metric.h"

namespace blockyard::wire {

/// What a server did so far; server_metrics() says what each number means.
struct ServerCounts {
  std::uint64_t gets = 0;
  std::uint64_t puts = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t spilled_bytes = 0;
  std::uint64_t read_back_bytes = 0;
  std::uint64_t peak_bytes = 0;
  friend bool operator==(const ServerCounts&, const ServerCounts&) = default;
};

/// A row for each field, in their order, which is that in the message.
[[nodiscard]] std::span<const base::Metric<ServerCounts>> server_metrics() noexcept;

}  // namespace blockyard::wire
