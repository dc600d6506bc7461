// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/block/residency_base.h"

namespace blockyard::block {

/// For a device that works on the frames themselves: which of them it is working on. One thread.
class InPlaceResidency final : public ResidencyBase {
 public:
  using ResidencyBase::ResidencyBase;
  ~InPlaceResidency() override { settle_all(); }

  [[nodiscard]] std::optional<device::Address> operand(const SharedFrame& frame, Use use,
                                                       bool keeps) override;
  void bring_ahead(const SharedFrame&) override {}
  [[nodiscard]] bool is_in_place() const noexcept override { return true; }
  bool host_reads(const base::Buffer& frame) override;
  [[nodiscard]] std::shared_ptr<PieceCopy> send(const SharedFrame& frame,
                                                bool reads_devices) override;
  void forget(const base::Buffer& frame) noexcept override;
  void release(const SharedFrame& frame) noexcept override;
  [[nodiscard]] bool move(const base::Buffer&, const base::Buffer&) override { return false; }
  void sweep() override;
  [[nodiscard]] bool is_resident(const base::Buffer&) const override { return true; }
  [[nodiscard]] bool is_modified(const base::Buffer&) const override { return false; }

 private:
  [[nodiscard]] std::optional<Piece> allocate(std::size_t size) override;
  void leave(ResidentCopy& copy) override;
  [[nodiscard]] std::size_t begin_recovery() override;
  [[nodiscard]] bool recover(DeviceSend& send) override { return is_written(send.written); }
  [[nodiscard]] bool recover(ResidentCopy& copy) override { return is_written(copy.piece.written); }

  void drop_done();
  void let_go(Order::iterator at) noexcept;
  [[nodiscard]] bool is_written(const Lanes::Points& points);

  std::int64_t bytes_ = 0;  ///< of the frames with work under way
};

}  // namespace blockyard::block
