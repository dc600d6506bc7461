// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "blockyard/block/frame.h"
#include "blockyard/device/device.h"

namespace blockyard::block {

/// A copy from a device to a frame, in pieces, from its beginning to its end: the sender need
/// not wait for the last piece. Without a copy the values are sent from the device, in one piece.
/// Any thread, except for calls of a residency.
class PieceCopy {
 public:
  /// `place`: where the network reads the values on the device; null: they come to the frame.
  PieceCopy(SharedFrame frame, std::size_t piece_bytes, const std::byte* place = nullptr)
      : frame_(std::move(frame)), piece_bytes_(piece_bytes), place_(place) {}

  [[nodiscard]] const SharedFrame& frame() const noexcept { return frame_; }
  [[nodiscard]] std::size_t piece_bytes() const noexcept { return piece_bytes_; }
  /// How many bytes are there. Where the device fails it stays as it is, until the Residency
  /// brought the rest in another way.
  [[nodiscard]] std::size_t ready() noexcept;
  /// Where the ready bytes lie on the device; null: in the frame.
  [[nodiscard]] const std::byte* place();
  /// The receiver has finished sending, and needs nothing on the device any more.
  void end_sending();
  [[nodiscard]] bool is_whole() noexcept { return ready() == frame_->size(); }
  /// Why it stopped; empty if it did not.
  [[nodiscard]] std::string failure();

  // By the residency only.
  /// Marks the copy as being sent.
  void begin_sending();
  /// The next piece, which is there when this event is done.
  device::Event& add(device::Event event) { return events_.emplace_back(std::move(event)); }
  /// Returns when all is there or nothing more comes.
  void wait() noexcept;
  /// Marks the rest as complete.
  void complete() noexcept;
  /// Nothing more comes: the Residency goes. `memory`: of the place, as long as it is needed.
  void end(device::Memory memory) noexcept;
  /// Whether the device's memory is needed no more.
  [[nodiscard]] bool is_over() noexcept;

 private:
  void advance(bool waits) noexcept;

  SharedFrame frame_;
  std::size_t piece_bytes_;
  std::mutex mutex_;        ///< guards all below
  const std::byte* place_;  ///< null once the values came to the frame in another way
  int senders_ = 0;
  device::Memory memory_;
  std::vector<device::Event> events_;  ///< one a piece
  std::size_t done_ = 0;               ///< of the events
  std::size_t ready_ = 0;
  std::string failure_;
};

}  // namespace blockyard::block
