// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "blockyard/block/residency.h"
#include "blockyard/worker/worker.h"

namespace blockyard::worker::detail {

/// The device of one worker, from when it is open on, for all its programs. One thread.
class WorkerDevice {
 public:
  /// The checking mode marks values that were never assigned, which only the host looks for.
  /// look: called again and again while a driver is waited for; may throw.
  WorkerDevice(const Options& options, std::function<void()> look)
      : options_(options),
        look_(std::move(look)),
        supply_(options.check ? nullptr : options.devices) {}

  /// In the checking mode: waits for the device that is compared with the host. Null: there is
  /// none. Throws Error{device} if it cannot be opened.
  [[nodiscard]] device::Device* compared() {
    if (!options_.check || options_.devices == nullptr) return nullptr;
    const DeviceShare* const share = options_.devices->open(options_.worker, look_);
    return share == nullptr ? nullptr : share->device;
  }

  /// Null: there is none yet.
  [[nodiscard]] block::Residency* residency() noexcept { return residency_.get(); }
  /// Whether one may still come.
  [[nodiscard]] bool is_awaited() const noexcept {
    return supply_ != nullptr && residency_ == nullptr;
  }
  /// Looks whether it came. Null: there is none yet.
  [[nodiscard]] block::Residency* look() {
    if (is_awaited()) take(supply_->share(options_.worker));
    if (is_awaited() && !supply_->may_come()) supply_ = nullptr;
    return residency();
  }
  /// Waits for it. Null: there will be none. Throws Error{device} if it cannot be opened.
  [[nodiscard]] block::Residency* open() {
    if (is_awaited()) take(supply_->open(options_.worker, look_));
    return residency();
  }
  /// What the host did and a device could have done.
  void note_work(double seconds) noexcept {
    if (is_awaited() && seconds > 0) supply_->note_work(seconds);
  }
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  void take(const DeviceShare* share) {
    if (share == nullptr) return;
    number_ = share->number;
    residency_ = block::Residency::open(
        *share->device,
        {.budget_bytes = share->bytes,
         .honours_use = options_.honours_intents,
         .locks = share->host_locks,
         .peers = share->peers,
         .trace = options_.recording == nullptr ? nullptr : &options_.recording->trace,
         .streams = share->streams,
         .keeps_memory = share->keeps_memory});
  }

  const Options& options_;
  const std::function<void()> look_;
  DeviceSupply* supply_;  ///< null: none is used, and none will come
  int number_ = -1;
  std::unique_ptr<block::Residency> residency_;
};

}  // namespace blockyard::worker::detail
