// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "blockyard/base/buffer.h"
#include "blockyard/device/device.h"
#include "blockyard/device/host_locks.h"
#include "blockyard/device/loader.h"
#include "blockyard/job/spec.h"

namespace blockyard::job {

/// What a report says of a device.
struct DeviceInfo {
  std::string name;
  std::int64_t memory_bytes = 0;  ///< 0: not known
  friend bool operator==(const DeviceInfo&, const DeviceInfo&) = default;
};

/// The devices that help the workers of this process: worker w works with device w modulo their
/// number. Any thread may ask, one makes it.
class Devices {
 public:
  /// Opens them. For `auto` that are GPUs, or nothing; never a processor that only plays one.
  /// workers           of all processes on this machine
  /// host_share_bytes  what a device that computes in the memory of the host may take there
  /// blocks            the memory of all blocks here, of which up to lock_limit_bytes are locked
  /// Throws Error{device} if the kind that is asked for is not there, with what to do.
  Devices(const DeviceSpec& spec, int workers, std::int64_t host_share_bytes,
          base::BufferPool& blocks, std::int64_t lock_limit_bytes);
  ~Devices();
  Devices(const Devices&) = delete;
  Devices& operator=(const Devices&) = delete;

  [[nodiscard]] bool is_empty() const noexcept { return devices_.empty(); }
  [[nodiscard]] int number_of(int worker) const noexcept {
    return devices_.empty() ? -1 : worker % static_cast<int>(devices_.size());
  }
  /// Null: there is none.
  [[nodiscard]] device::Device* of(int worker) noexcept {
    return devices_.empty() ? nullptr : &devices_[static_cast<std::size_t>(number_of(worker))];
  }
  /// Memory of its device for one worker.
  [[nodiscard]] std::int64_t bytes_of(int worker) const noexcept {
    return devices_.empty() ? 0 : bytes_[static_cast<std::size_t>(number_of(worker))];
  }
  /// Null: nothing of the host is locked.
  [[nodiscard]] device::HostLocks* host_locks() noexcept { return locks_ ? &*locks_ : nullptr; }
  /// The kind that was found: none, cuda, opencl, sim.
  [[nodiscard]] const std::string& kind() const noexcept { return kind_; }
  [[nodiscard]] const std::vector<DeviceInfo>& infos() const noexcept { return infos_; }

 private:
  void open(const DeviceSpec& spec, const std::string& kind, bool only_gpus);
  void share_memory(const DeviceSpec& spec, int workers, std::int64_t host_share_bytes);

  std::optional<device::Plugin> plugin_;
  base::BufferPool& blocks_;
  std::deque<device::Device> devices_;
  std::optional<device::HostLocks> locks_;
  std::vector<std::int64_t> bytes_;
  std::vector<DeviceInfo> infos_;
  std::string kind_ = "none";
};

}  // namespace blockyard::job
