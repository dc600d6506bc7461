// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>

#include "blockyard/device/abi.h"

namespace blockyard::remote {

/// The host of a server, which does what another device of it does not know.
class HostDevice {
 public:
  /// Throws Error{device} if it cannot be opened.
  explicit HostDevice(const blockyard_device_table& table);
  ~HostDevice();
  HostDevice(const HostDevice&) = delete;
  HostDevice& operator=(const HostDevice&) = delete;
  [[nodiscard]] const blockyard_device_table& table() const noexcept { return table_; }
  [[nodiscard]] blockyard_device* device() const noexcept { return device_; }
  /// Throws Error{device} with the host's text unless `status` is OK.
  void check(blockyard_status status) const;

 private:
  const blockyard_device_table& table_;
  blockyard_device* device_ = nullptr;
};

/// An operation of abi_kinds.h on blocks of one device, computed by the host: the blocks go to
/// memory of the host and back. Any thread; one run at a time.
class Substitute {
 public:
  /// Null: the host does not know it either, or it is not one of these kinds. `host` outlives it.
  [[nodiscard]] static std::unique_ptr<Substitute> plan(const HostDevice& host,
                                                        const blockyard_operation& operation);
  ~Substitute();
  Substitute(const Substitute&) = delete;
  Substitute& operator=(const Substitute&) = delete;

  /// Returns when it is done. Throws Error{device} if the host fails.
  [[nodiscard]] blockyard_status run(const blockyard_device_table& table, blockyard_device* device,
                                     blockyard_stream* stream, const blockyard_run& run);

 private:
  Substitute(const HostDevice& host, const blockyard_operation& operation)
      : host_(host), operation_(operation) {}

  const HostDevice& host_;
  blockyard_operation operation_;
  blockyard_plan* plan_ = nullptr;
  blockyard_stream* stream_ = nullptr;
  std::mutex mutex_;  ///< held by the run
};

}  // namespace blockyard::remote
