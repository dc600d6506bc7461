// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "blockyard/block/peer_exchange.h"
#include "blockyard/block/piece_length.h"
#include "blockyard/block/residency_base.h"

namespace blockyard::block {

/// For a device with memory of its own: a cache of copies. One thread.
class CopyingResidency final : public ResidencyBase {
 public:
  CopyingResidency(device::Device& device, const Options& options)
      : ResidencyBase(device, options),
        piece_length_(options.piece_bytes),
        peers_(device, options.peers, pool_) {}
  ~CopyingResidency() override;

  [[nodiscard]] std::optional<device::Address> operand(const SharedFrame& frame, Use use,
                                                       bool keeps) override;
  void bring_ahead(const SharedFrame& frame) override;
  [[nodiscard]] bool is_in_place() const noexcept override { return false; }
  bool host_reads(const base::Buffer& frame) override;
  [[nodiscard]] std::shared_ptr<PieceCopy> send(const SharedFrame& frame,
                                                bool reads_devices) override;
  void forget(const base::Buffer& frame) noexcept override;
  void release(const SharedFrame& frame) noexcept override;
  [[nodiscard]] bool move(const base::Buffer& from, const base::Buffer& to) override;
  void sweep() override;
  [[nodiscard]] bool is_resident(const base::Buffer& frame) const override {
    return copies_.contains(frame.data());
  }
  [[nodiscard]] bool is_modified(const base::Buffer& frame) const override;

 private:
  /// A copy to the device under way, and what it reads: the frame, or what a peer has of it.
  struct Source {
    std::uint64_t point;
    SharedFrame frame;  ///< null: it reads the other
    PeerCopies::Held peer;
  };

  [[nodiscard]] std::optional<Piece> allocate(std::size_t size) override;
  void leave(ResidentCopy& copy) override;
  [[nodiscard]] std::size_t begin_recovery() override;
  [[nodiscard]] bool recover(DeviceSend& send) override;
  [[nodiscard]] bool recover(ResidentCopy& copy) override;
  void end_recovery() override { sources_.clear(); }

  [[nodiscard]] ResidentCopy* bring(const SharedFrame& frame, Use use, bool keeps);
  ResidentCopy& add_copy(const SharedFrame& frame, bool keeps, Piece piece);
  void fill(ResidentCopy& copy, const SharedFrame& frame);
  void end_ahead(ResidentCopy& copy) noexcept;
  [[nodiscard]] bool evict_one(bool only_idle = false);
  void copy_in(ResidentCopy& copy, const SharedFrame& frame);
  void drop_sources();
  void begin_out(ResidentCopy& copy);
  std::uint64_t end_out(ResidentCopy& copy);
  std::uint64_t copy_out(ResidentCopy& copy);
  [[nodiscard]] bool bring_back(const Piece& piece, std::span<std::byte> to, std::size_t from = 0);
  // copying_sends.cpp
  [[nodiscard]] std::shared_ptr<PieceCopy> start_send(ResidentCopy& copy, const SharedFrame& frame);
  [[nodiscard]] std::shared_ptr<PieceCopy> send_direct(ResidentCopy& copy,
                                                       const SharedFrame& frame);
  void send_timed(ResidentCopy& copy);
  void lock_host(FrameKey key, std::size_t size);
  void finish_writing(FrameKey key);

  std::unordered_map<FrameKey, std::uint64_t>
      writing_;  ///< frames that evicted copies go to: point
  PieceLength piece_length_;
  bool is_for_network_ = true;  ///< until the device says no
  std::deque<Source> sources_;
  PeerExchange peers_;
  std::int64_t ahead_bytes_ = 0;
};

}  // namespace blockyard::block
