// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <unordered_map>

#include "blockyard/device/device.h"

namespace blockyard::device {

/// Page-locked host memory, for the devices of one process: copies of it are faster than of other
/// memory, and the host does not wait for them. Locking is slow, so a piece of memory is
/// locked when a copy first touches it, and stays so until its owner gives it back to the system: a
/// pool that uses memory again pays once for each piece. A device that cannot lock, or fails to,
/// works without: nothing here throws. Any thread.
class HostLocks {
 public:
  /// limit_bytes  that are locked at most, in total
  /// trim         frees unused memory; called where this limit, or the system's, is reached,
  ///              before it is tried once more. Calls unlock.
  /// with         the memory to lock for a piece; empty: the piece itself
  using With = std::function<std::span<const std::byte>(std::span<const std::byte>)>;
  HostLocks(Device& device, std::int64_t limit_bytes, std::function<void()> trim, With with = {});
  ~HostLocks();
  HostLocks(const HostLocks&) = delete;
  HostLocks& operator=(const HostLocks&) = delete;

  enum class Answer : std::uint8_t {
    not_asked,  ///< too small to be worth it, or no device here locks
    was_locked,
    locked_now,
    refused
  };
  /// Locked memory starts at a page and fills whole pages where it has least_bytes() or more.
  Answer lock(const std::byte* data, std::size_t bytes) noexcept;
  /// The memory is about to be freed; no work with it is in flight.
  void unlock(const std::byte* data) noexcept;

  /// Drivers copy less than 16 pages through memory of their own, at once.
  [[nodiscard]] std::size_t least_bytes() const noexcept { return 16 * page_bytes_; }
  [[nodiscard]] std::int64_t peak_bytes() const;

 private:
  [[nodiscard]] bool try_lock(const std::byte* data, std::size_t bytes) noexcept;
  void end(std::unordered_map<const std::byte*, std::size_t>::iterator at) noexcept;

  Device& device_;
  std::size_t page_bytes_ = 0;  ///< 0: no locking
  std::function<void()> trim_;
  With with_;
  mutable std::mutex mutex_;  ///< guards all below; trim_ and with_ are called without it
  std::unordered_map<const std::byte*, std::size_t> locked_;  ///< bytes by where they begin
  std::size_t refused_bytes_ = SIZE_MAX;  ///< the least that was, since something was unlocked
  std::int64_t limit_bytes_;
  std::int64_t locked_bytes_ = 0;
  std::int64_t peak_bytes_ = 0;
};

}  // namespace blockyard::device
