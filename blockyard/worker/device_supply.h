// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "blockyard/block/lanes.h"
#include "blockyard/block/peer_copies.h"
#include "blockyard/device/device.h"
#include "blockyard/device/host_locks.h"

namespace blockyard::worker {

/// What a worker may use of an open device.
struct DeviceShare {
  device::Device* device = nullptr;         ///< others may use it too
  int number = -1;                          ///< for the report
  std::int64_t bytes = 0;                   ///< of its memory
  device::HostLocks* host_locks = nullptr;  ///< null: none; of all workers of the process
  block::PeerCopies* peers = nullptr;       ///< the same
  int streams = block::Lanes::count;        ///< of each worker
  bool keeps_memory = true;                 ///< of the device, for the next copies
};

/// The devices of a process, which may be opened while its workers run. Any thread.
class DeviceSupply {
 public:
  virtual ~DeviceSupply() = default;
  /// Never waits. Null: no device is open, yet or ever. Otherwise always the same.
  [[nodiscard]] virtual const DeviceShare* share(int worker) noexcept = 0;
  /// A worker has done so much on the host that a device could do.
  virtual void note_work(double seconds) noexcept = 0;
  /// The same as share, but opens the devices first. Throws Error{device} if they cannot be opened.
  /// While it waits for a driver it calls `look` again and again, and throws what that throws.
  [[nodiscard]] virtual const DeviceShare* open(int worker, const std::function<void()>& look) = 0;
  /// False: no device is open, and none will be.
  [[nodiscard]] virtual bool may_come() const noexcept = 0;
};

}  // namespace blockyard::worker
