// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>
#include <vector>

#include "blockyard/block/device_sends.h"
#include "blockyard/block/residency.h"

namespace blockyard::block {

/// What both forms of Residency have: the run under way, the lanes, sends, and the order in which
/// what the device failed at is recovered. One thread.
class ResidencyBase : public Residency {
 public:
  ResidencyBase(device::Device& device, const Options& options);

  [[nodiscard]] std::optional<device::Address> scratch(std::size_t size) final;
  void read_back(device::Address from, std::span<std::byte> to) final;
  void end_run(bool is_done) final;
  void finish_copies() final { lanes_->stream(Lanes::in).synchronise(); }
  void finish_runs() final;
  [[nodiscard]] bool is_sending() const noexcept final { return !sends_.is_empty(); }
  void look_after() final;
  void retire(const std::string& why) final;
  [[nodiscard]] bool is_retired() const noexcept final { return is_retired_; }
  [[nodiscard]] const std::string& failure() const noexcept final { return failure_; }
  [[nodiscard]] ResidencyCounts counts() const final;
  [[nodiscard]] ResidencyCounts take_counts() final;
  [[nodiscard]] device::Device& device() noexcept final { return device_; }
  void note_program(std::uint16_t program) noexcept final {
    if (lanes_) lanes_->note_program(program);
  }
  void note_place(std::int32_t pc) noexcept final { pc_ = pc; }

 protected:
  using Order = ResidentOrder;

  /// Nothing if there is no room, after evictions.
  [[nodiscard]] virtual std::optional<Piece> allocate(std::size_t size) = 0;
  /// A copy is about to be removed from the order.
  virtual void leave(ResidentCopy& copy) = 0;
  /// Once the device failed, in this order. Begin: returns how many blocks are lost already.
  [[nodiscard]] virtual std::size_t begin_recovery() = 0;
  [[nodiscard]] virtual bool recover(DeviceSend& send) = 0;
  [[nodiscard]] virtual bool recover(ResidentCopy& copy) = 0;
  virtual void end_recovery() {}

  ResidentCopy& add(const SharedFrame& frame, bool keeps, Piece piece);
  void erase(Order::iterator at);
  /// Null: there is none.
  [[nodiscard]] ResidentCopy* use(FrameKey key) noexcept;
  void add_operand(ResidentCopy& copy, Use use);
  void finish_sending(FrameKey key) { counts_.wait_seconds += sends_.finish(key); }
  void note_saved(std::size_t size) noexcept;
  void settle(Lanes::Lane lane) noexcept;
  /// Work under way reads and writes frames of the host: none is left afterwards.
  void settle_all() noexcept;

  device::Device& device_;
  Options options_;
  std::optional<Lanes> lanes_;  ///< none where the device could not be begun with
  DevicePool pool_;
  Order order_;
  std::unordered_map<FrameKey, Order::iterator> copies_;
  DeviceSends sends_;
  ResidencyCounts counts_;

 private:
  struct Operand {
    ResidentCopy* copy;
    Use use;
  };
  [[nodiscard]] Lanes::Lane begin_work() final;
  [[nodiscard]] device::Stream& stream(Lanes::Lane lane) final { return lanes_->stream(lane); }
  void end_work(Lanes::Lane lane) final;

  std::vector<Operand> operands_;  ///< of the run under way
  std::vector<Piece> scratch_;
  std::int32_t pc_ = 0;
  bool is_retired_ = false;
  std::string failure_;
  ResidencyCounts taken_;
};

}  // namespace blockyard::block
