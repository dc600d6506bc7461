// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "blockyard/worker/detail/arithmetic.h"
#include "blockyard/worker/detail/blocks.h"
#include "blockyard/worker/detail/supers.h"
#include "blockyard/worker/detail/worker_device.h"

namespace blockyard::worker::detail {

/// The device of a worker as one program uses it: it may come while the program runs. One thread.
class ProgramDevice {
 public:
  /// `number`: of the program in the job.
  ProgramDevice(WorkerDevice& worker_device, Blocks& blocks, Arithmetic& arithmetic, Supers& supers,
                const Options& options, std::size_t number)
      : worker_device_(worker_device),
        blocks_(blocks),
        arithmetic_(arithmetic),
        supers_(supers),
        respects_hints_(options.respects_hints),
        number_(static_cast<std::uint16_t>(number)) {
    attach(worker_device.look());
  }
  ProgramDevice(const ProgramDevice&) = delete;
  ProgramDevice& operator=(const ProgramDevice&) = delete;

  /// Null: there is none yet.
  [[nodiscard]] block::Residency* residency() const noexcept { return residency_; }
  /// Before a statement that it could run: whether an awaited one has come.
  void look() {
    if (!arithmetic_.awaits_device()) return;
    worker_device_.note_work(arithmetic_.take_host_seconds() + supers_.take_host_seconds());
    attach(worker_device_.look());
  }
  /// gpu_on or gpu_off.
  void hint(bool begins) {
    if (begins && respects_hints_ && worker_device_.is_awaited()) attach(worker_device_.open());
    arithmetic_.hint(begins);
  }
  /// Starts to copy a block that is here already, if it is going to be read there.
  void copy_ahead(const array::BlockId& id) {
    DeviceArithmetic& device = *arithmetic_.device();
    if (!device.reads(id.array)) return;
    if (const block::SharedFrame frame = blocks_.cache().peek(id)) device.copy_ahead(frame);
  }
  /// Number of the device.
  [[nodiscard]] int number() const noexcept { return worker_device_.number(); }

 private:
  /// Null: it may still come.
  void attach(block::Residency* device) {
    arithmetic_.await_device(worker_device_.is_awaited());
    if (device == nullptr) return;
    residency_ = device;
    device->note_program(number_);
    blocks_.attach(*device);
    arithmetic_.attach(*device);
    supers_.attach(*arithmetic_.device());
    blocks_.cache().on_leave([device](const block::SharedFrame& frame) { device->release(frame); });
  }

  WorkerDevice& worker_device_;
  Blocks& blocks_;
  Arithmetic& arithmetic_;
  Supers& supers_;
  bool respects_hints_;
  std::uint16_t number_;
  block::Residency* residency_ = nullptr;
};

}  // namespace blockyard::worker::detail
