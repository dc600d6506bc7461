// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "blockyard/block/piece_copy.h"
#include "blockyard/block/resident_copy.h"

namespace blockyard::block {

/// A block on its way from a device to other processes.
struct DeviceSend {
  std::shared_ptr<PieceCopy> pieces;
  Lanes::Points written;  ///< the values, on the device
  ResidentCopy* copy;     ///< null: it left, and its memory is here
  bool is_direct;         ///< the network reads the copy, which is pinned
  Piece piece;
};

/// Those of one worker: copies to the host until they are whole, and what the network reads on the
/// device until it has. One thread.
class DeviceSends {
 public:
  explicit DeviceSends(DevicePool& pool) noexcept : pool_(pool) {}
  ~DeviceSends();
  DeviceSends(const DeviceSends&) = delete;
  DeviceSends& operator=(const DeviceSends&) = delete;

  void add(DeviceSend send) { sends_.push_back(std::move(send)); }
  [[nodiscard]] bool is_empty() const noexcept { return sends_.empty(); }
  /// Null: there is none.
  [[nodiscard]] DeviceSend* of(FrameKey frame) noexcept;
  [[nodiscard]] DeviceSend* from(const ResidentCopy& copy) noexcept;
  /// Bytes that the network reads on the device.
  [[nodiscard]] std::size_t direct_bytes() const noexcept;

  /// Lets go what is over. Throws Error{device} with the reason if one failed.
  void take();
  void drop() noexcept;
  /// Afterwards nothing writes to the frame. Returns the seconds that it waited. Throws as take().
  double finish(FrameKey frame);
  /// Waits for one whose copy left. False: no device memory comes back in this way; that which the
  /// network reads comes when it will. Throws as take().
  [[nodiscard]] bool wait_for_memory();
  /// Takes the memory of a copy that leaves. False: none is sent from there.
  [[nodiscard]] bool hold(ResidentCopy& copy) noexcept;

  /// Once the device failed: `rest` brings what has not come to the host in another way, and says
  /// whether it did. Returns how many are lost.
  template <class Rest>
  std::size_t recover(const Rest& rest) {
    std::size_t lost = 0;
    for (DeviceSend& send : sends_) {
      send.pieces->wait();
      if (send.pieces->is_whole()) continue;
      if (rest(send)) {
        send.pieces->complete();
        if (send.copy != nullptr) send.copy->is_modified = false;
        continue;
      }
      ++lost;
      if (send.is_direct && send.copy != nullptr)
        send.copy->is_modified = false;  // not tried again
    }
    std::erase_if(sends_, [](const DeviceSend& send) { return !send.is_direct; });
    return lost;
  }

 private:
  DevicePool& pool_;
  std::vector<DeviceSend> sends_;
};

}  // namespace blockyard::block
