// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "blockyard/block/lanes.h"
#include "blockyard/block/residency_counts.h"
#include "blockyard/block/resident_copy.h"

namespace blockyard::block {

/// One worker's part in PeerCopies: copies blocks that never change from other workers of the
/// process, and offers its own. One thread.
class PeerExchange {
 public:
  /// `peers`: null: nothing shared.
  PeerExchange(device::Device& device, PeerCopies* peers, DevicePool& pool) noexcept
      : device_(device), peers_(peers), pool_(pool) {}

  /// Starts to copy what another worker has of the block. Null: no worker has all of it, or it
  /// cannot be copied this way.
  [[nodiscard]] PeerCopies::Held copy_to(ResidentCopy& copy, device::Stream& in);
  /// Of a copy that was just started on the stream.
  void offer(ResidentCopy& copy, device::Stream& in);
  /// Hides the copy, which is about to change. False: others copy from it.
  [[nodiscard]] bool withdraw(ResidentCopy& copy);
  /// Of a copy that goes. True: others copy from it, and its memory is not free before they have.
  [[nodiscard]] bool leave(ResidentCopy& copy) noexcept;
  /// Reuses memory that no peer copies from any more.
  void take_left() noexcept;
  /// At the end: the last peer that copies from it releases it.
  void give_left_away() noexcept;

 private:
  /// Memory of a copy that went while others copied from it.
  struct Left {
    PeerCopies::Held offer;
    Piece piece;
  };

  device::Device& device_;
  PeerCopies* peers_;
  DevicePool& pool_;
  std::vector<Left> left_;
};

}  // namespace blockyard::block
