// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace blockyard::worker::detail {

/// What the messages of a program took.
struct TransportCounts {
  double settle_seconds = 0;   ///< waited for acknowledgements
  double collect_seconds = 0;  ///< waited for other workers
  std::uint64_t bytes_sent = 0;
  std::vector<std::uint64_t> from_servers{};  ///< bytes of blocks, by server
  std::vector<std::uint64_t> to_servers{};
};

}  // namespace blockyard::worker::detail
