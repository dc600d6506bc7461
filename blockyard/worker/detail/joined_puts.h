// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "blockyard/block/frame.h"
#include "blockyard/fabric/fabric.h"
#include "blockyard/wire/batch.h"

namespace blockyard::worker::detail {

/// Small puts, which are kept until there are many for their server, or until its worker says or
/// waits for anything else: the order of what one server hears stays. One thread.
class JoinedPuts {
 public:
  /// Longer blocks are sent alone.
  static constexpr std::size_t most_bytes = 4096;

  /// `first_server`: its rank.
  JoinedPuts(fabric::Fabric& fabric, block::FramePool& frames, int first_server, int servers)
      : fabric_(fabric),
        frames_(frames),
        first_server_(first_server),
        unsent_(static_cast<std::size_t>(servers)) {}

  void add(int server, const wire::Any& put, std::span<const std::byte> values);
  void send(int server);
  void send_all();

 private:
  fabric::Fabric& fabric_;
  block::FramePool& frames_;
  int first_server_;
  std::vector<wire::BatchWriter> unsent_;  ///< by server
  std::vector<int> begun_;                 ///< the servers that have some; others are many
};

}  // namespace blockyard::worker::detail
