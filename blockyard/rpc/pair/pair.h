// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "blockyard/rpc/transport.h"

/// Two ends in one process, for tests of what stands on a transport.
namespace blockyard::rpc::pair {

struct Options {
  std::uint64_t seed = 0;  ///< of the lengths of transfers; 0: as long as possible
  /// Bytes that arrive in each direction; then the connection is cut.
  std::uint64_t cut_after = std::numeric_limits<std::uint64_t>::max();
  /// Bytes that arrive in each direction; then no more do, until a call of cut.
  std::uint64_t stall_after = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t damage_at = std::numeric_limits<std::uint64_t>::max();  ///< byte that is changed
  std::size_t room = std::size_t{1} << 20;  ///< bytes on their way; a sender waits for room
};

/// Bytes sent by one end are received by the other.
[[nodiscard]] std::pair<std::unique_ptr<Transport>, std::unique_ptr<Transport>> make(
    const Options& options = {});

}  // namespace blockyard::rpc::pair
