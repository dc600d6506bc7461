// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "blockyard/base/buffer.h"
#include "blockyard/block/lanes.h"

namespace blockyard::block {

/// Memory of a device, and the progress of its users.
struct Piece {
  device::Memory memory;
  Lanes::Points written{};  ///< the values are there after these points
  Lanes::Points used{};     ///< no access after these points
};

/// Gives pieces of device memory within a budget. Released pieces are kept by size class: the next
/// user's work is ordered after the last one's by the points, without waiting. One thread.
class DevicePool {
 public:
  /// keeps  false: pieces are freed at once, to measure the benefit of keeping them
  DevicePool(device::Device& device, std::int64_t budget_bytes, bool keeps = true)
      : device_(device), budget_bytes_(budget_bytes), keeps_(keeps) {}

  /// Nothing if the budget or the device has no room.
  [[nodiscard]] std::optional<Piece> allocate(std::size_t size);
  /// Of a piece without memory: nothing.
  void recycle(Piece piece);
  /// Whether the budget would have room if it were otherwise empty.
  [[nodiscard]] bool could_hold(std::size_t size) const noexcept {
    return static_cast<std::int64_t>(base::BufferPool::charge(size)) <= budget_bytes_;
  }

  [[nodiscard]] std::int64_t peak_bytes() const noexcept { return peak_bytes_; }
  [[nodiscard]] std::uint64_t requests() const noexcept { return requests_; }
  /// Requests that a kept piece answered.
  [[nodiscard]] std::uint64_t hits() const noexcept { return hits_; }

 private:
  /// Gives kept memory back to the device until `bytes` more fit. False if they cannot.
  bool make_room(std::int64_t bytes);

  device::Device& device_;
  std::int64_t budget_bytes_;
  bool keeps_;
  std::int64_t held_bytes_ = 0;  ///< used and kept
  std::int64_t kept_bytes_ = 0;
  std::int64_t peak_bytes_ = 0;
  std::uint64_t requests_ = 0;
  std::uint64_t hits_ = 0;
  std::array<std::vector<Piece>, base::BufferPool::class_count> kept_;
};

}  // namespace blockyard::block
