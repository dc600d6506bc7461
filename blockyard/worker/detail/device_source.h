// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "blockyard/block/residency.h"
#include "blockyard/fabric/fabric.h"

namespace blockyard::worker::detail {

/// A payload that comes from a device. May outlive the residency.
class DeviceSource final : public fabric::Source {
 public:
  DeviceSource(block::Residency& device, std::shared_ptr<block::PieceCopy> pieces)
      : device_(device), pieces_(std::move(pieces)) {}
  DeviceSource(const DeviceSource&) = delete;
  DeviceSource& operator=(const DeviceSource&) = delete;
  ~DeviceSource() override { pieces_->end_sending(); }
  [[nodiscard]] std::size_t ready() noexcept override { return pieces_->ready(); }
  [[nodiscard]] std::size_t piece_bytes() const noexcept override { return pieces_->piece_bytes(); }
  [[nodiscard]] const std::byte* place() override { return pieces_->place(); }
  void finish() override { device_.host_reads(*pieces_->frame()); }

 private:
  block::Residency& device_;
  std::shared_ptr<block::PieceCopy> pieces_;
};

}  // namespace blockyard::worker::detail
