// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <memory>

#include "blockyard/block/device_pool.h"
#include "blockyard/block/frame.h"
#include "blockyard/block/peer_copies.h"

namespace blockyard::block {

/// Names a frame: where its values are on the host.
using FrameKey = const std::byte*;

/// The values of a frame are the worker's own where it is written back to: only its own frames are
/// ever modified on the device.
[[nodiscard]] inline std::span<std::byte> host_bytes(FrameKey key, std::size_t size) noexcept {
  return {const_cast<std::byte*>(key), size};
}

/// What a device has of a frame: a copy in memory of its own, or work under way on the frame.
struct ResidentCopy {
  FrameKey key = nullptr;
  SharedFrame kept;  ///< of frames that are held here
  std::size_t size = 0;
  Piece piece;  ///< without memory where the device works in place
  bool is_modified = false;
  bool is_valid = false;  ///< false only until the end of the run that made it
  bool is_lost = false;   ///< unknown whether the last run changed it
  bool is_ahead = false;  ///< brought ahead and not used since
  std::int32_t pins = 0;
  PeerCopies::Held offer = nullptr;              ///< to other workers
  std::weak_ptr<const base::Buffer> in_place{};  ///< to hold it when its owner lets it go
};

/// Least recently used first.
using ResidentOrder = std::list<ResidentCopy>;

}  // namespace blockyard::block
