// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "blockyard/block/device_pool.h"
#include "blockyard/block/frame.h"
#include "blockyard/block/peer_copies.h"
#include "blockyard/block/piece_copy.h"
#include "blockyard/block/piece_length.h"
#include "blockyard/block/residency_counts.h"
#include "blockyard/device/host_locks.h"

namespace blockyard::block {

/// How a device run uses an operand, which decides what is copied.
enum class Use : std::uint8_t { read, write, update };

/// Copies of one worker's frames in the memory of a device. A block has two copies: the frame, and
/// one here.
///
///   host      device     means
///   modified  invalid    no copy here
///   shared    shared     both have the values
///   invalid   modified   a run on the device wrote them; the host gets them when it looks
///
/// The memory is a cache: the least recently used copies leave, written back where they are
/// modified, never those of the run in progress. A frame is identified by its address; its owner
/// says when it ends (forget), except for frames that are given with `keeps`: these are held
/// here, never change, and go with sweep().
/// A device that works in place (abi.h) has no copies: the copy of a frame is the frame itself, and
/// only the work in flight on it is kept here. Nothing is copied; the host waits where it
/// reads values not written yet, and gets another frame to write to where this one is still read.
/// Work is only enqueued; the host waits where it reads. Functions throw Error{device} where the
/// device fails: then retire() is next. One thread.
class Residency {
 public:
  struct Options {
    std::int64_t budget_bytes = 0;
    bool honours_use = true;  ///< false: every operand is copied and counts as changed, to compare
    device::HostLocks* locks = nullptr;  ///< for frames, which come from a pool that tells it
    PeerCopies* peers = nullptr;         ///< of the process; null: nothing shared
    base::TraceLine* trace = nullptr;    ///< for the work of the lanes; null: not recorded
    std::size_t piece_bytes = 0;         ///< of what is sent in pieces; 0: learned
    int streams = Lanes::count;          ///< fewer, and not to keep memory: to compare
    bool keeps_memory = true;            ///< that copies leave
  };
  Residency(device::Device& device, Options options);
  ~Residency();
  Residency(const Residency&) = delete;
  Residency& operator=(const Residency&) = delete;

  /// A run: its operands, then enqueue, then end_run. Nothing from operand or scratch: no room (or
  /// retired), and the host has to do it after end_run(false).
  [[nodiscard]] std::optional<device::Address> operand(const SharedFrame& frame, Use use,
                                                       bool keeps = false);
  /// Memory for this run only.
  [[nodiscard]] std::optional<device::Address> scratch(std::size_t size);
  /// Work on the operands and scratch memory of the run, on one stream, after earlier work.
  /// Only the last call of `work` changes operands: where it is refused they are as they were, but
  /// for a result that was to be overwritten.
  template <class Work>
  void enqueue(const Work& work) {
    const Lanes::Lane lane = begin_work();
    work(lanes_->stream(lane));
    end_work(lane);
  }
  /// Copies from scratch memory of the run, and waits. After enqueue.
  void read_back(device::Address from, std::span<std::byte> to);
  void end_run(bool is_done);
  /// Starts to copy a frame, kept as with `keeps`, that a run will read soon: if there is room that
  /// is free or held by copies that are neither in use nor modified. All that is brought ahead and
  /// not used yet takes at most 1/ahead_share of the memory.
  void bring_ahead(const SharedFrame& frame);
  static constexpr std::int64_t ahead_share = 4;
  /// Returns when the copies to the device, or the work of runs, are done: to measure them.
  void finish_copies() { lanes_->stream(Lanes::in).synchronise(); }
  void finish_runs();

  /// Whether the device works on the frames themselves.
  [[nodiscard]] bool is_in_place() const noexcept { return is_in_place_; }
  /// The host looks at the frame: its values are there afterwards. Returns whether they had to be
  /// copied. Throws as retire does.
  bool host_reads(const base::Buffer& frame);
  /// The values of the frame go to another process: starts to copy them to it, unless the network
  /// `reads_devices` and this one can be read. Null: they are there. Else to be told when they are
  /// sent (PieceCopy::end_sending). Throws as retire does.
  [[nodiscard]] std::shared_ptr<PieceCopy> send(const SharedFrame& frame,
                                                bool reads_devices = false);
  /// Copies that the network is reading take at most 1/network_share of the memory.
  static constexpr std::int64_t network_share = 4;
  /// Whether such copies are under way: then look_after() has to be called again and again.
  [[nodiscard]] bool is_sending() const noexcept { return !sends_.empty(); }
  /// Recovers those that failed. Throws as retire does.
  void look_after();
  /// Before the host overwrites all of the frame, which it may if it is then the sole holder.
  void host_writes(const base::Buffer& frame) noexcept { forget(frame); }
  /// The frame goes, or its values do.
  void forget(const base::Buffer& frame) noexcept;
  /// Drops one reference to a kept frame; the copy is freed with the last reference.
  void release(const SharedFrame& frame) noexcept;
  /// The copy of one frame becomes the modified copy of another. False: there is none, or
  /// another holder may read it.
  [[nodiscard]] bool move(const base::Buffer& from, const base::Buffer& to);
  /// Frees the copies of kept frames that have no other holder.
  void sweep();
  /// Whether a run needs no copy of its values.
  [[nodiscard]] bool is_resident(const base::Buffer& frame) const {
    return is_in_place_ || copies_.contains(frame.data());
  }
  /// Whether the host needs a copy of its values.
  [[nodiscard]] bool is_modified(const base::Buffer& frame) const;

  /// The device failed: modified copies are brought back, and it is not used again.
  /// Throws Error{device} if something is lost.
  void retire(const std::string& why);
  [[nodiscard]] bool is_retired() const noexcept { return is_retired_; }
  /// Why it was retired; empty: it was not.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }
  [[nodiscard]] ResidencyCounts counts() const;
  /// The counts since the last call.
  [[nodiscard]] ResidencyCounts take_counts();
  [[nodiscard]] device::Device& device() noexcept { return device_; }
  /// Where the program is, for the trace.
  void note_program(std::uint16_t program) noexcept {
    if (lanes_) lanes_->note_program(program);
  }
  void note_place(std::int32_t pc) noexcept { pc_ = pc; }

 private:
  using Key = const std::byte*;
  /// The values of a frame are the worker's own where it is written back to: only its own frames
  /// are ever modified on the device.
  [[nodiscard]] static std::span<std::byte> host_bytes(Key key, std::size_t size) noexcept {
    return {const_cast<std::byte*>(key), size};
  }
  struct Copy {
    Key key = nullptr;
    SharedFrame kept;  ///< of frames that are held here
    std::size_t size = 0;
    Piece piece;
    bool is_modified = false;
    bool is_valid = false;  ///< false only until the end of the run that made it
    bool is_lost = false;   ///< unknown whether the last run changed it
    bool is_ahead = false;  ///< brought ahead and not used since
    std::int32_t pins = 0;
    PeerCopies::Held offer = nullptr;              ///< to other workers
    std::weak_ptr<const base::Buffer> in_place{};  ///< to hold it when its owner lets it go
  };
  using Order = std::list<Copy>;  ///< least recently used first
  struct Operand {
    Copy* copy;
    Use use;
  };

  /// A copy to the device under way, and what it reads: the frame, or what a peer has of it.
  struct Source {
    std::uint64_t point;
    SharedFrame frame;  ///< null: it reads the other
    PeerCopies::Held peer;
  };

  /// Memory of a copy that went while others copied from it: here until they have.
  struct Left {
    PeerCopies::Held offer;
    Piece piece;
  };

  /// A copy that send started, until it is whole; or what the network reads here, until it has.
  struct Send {
    std::shared_ptr<PieceCopy> pieces;
    Lanes::Points written;  ///< the values, on the device
    Copy* copy;             ///< null: it left, and its memory is here
    bool is_direct;         ///< no copy: the one here is pinned
    Piece piece;
  };

  [[nodiscard]] Lanes::Lane begin_work();
  void end_work(Lanes::Lane lane);
  Copy* bring(const SharedFrame& frame, Use use, bool keeps);
  Copy& add(const SharedFrame& frame, bool keeps, Piece piece);
  void fill(Copy& copy, const SharedFrame& frame);
  [[nodiscard]] device::Address address_of(const Copy& copy) const noexcept {
    return is_in_place_ ? reinterpret_cast<device::Address>(copy.key) : copy.piece.memory.address();
  }
  Copy* note_in_place(const SharedFrame& frame, bool keeps);
  void drop_done();
  void let_go(Order::iterator at) noexcept;
  void sweep_in_place() noexcept;
  [[nodiscard]] std::shared_ptr<PieceCopy> send_in_place(Copy& copy, const SharedFrame& frame);
  [[nodiscard]] bool is_written(const Lanes::Points& points);
  void end_ahead(Copy& copy) noexcept;
  [[nodiscard]] std::optional<Piece> allocate(std::size_t size);
  [[nodiscard]] bool evict_one(bool only_idle = false);
  void copy_in(Copy& copy, const SharedFrame& frame);
  void drop_sources();
  [[nodiscard]] PeerCopies::Held copy_from_peer(Copy& copy);
  void offer_to_peers(Copy& copy);
  [[nodiscard]] bool leave_to_peers(Copy& copy) noexcept;
  void take_left() noexcept;
  void give_left_away() noexcept;
  void begin_out(Copy& copy);
  std::uint64_t end_out(Copy& copy);
  std::uint64_t copy_out(Copy& copy);
  [[nodiscard]] std::shared_ptr<PieceCopy> start_send(Copy& copy, const SharedFrame& frame);
  [[nodiscard]] std::shared_ptr<PieceCopy> send_direct(Copy& copy, const SharedFrame& frame);
  [[nodiscard]] bool is_read_by_network(const Copy& copy) noexcept;
  void send_timed(Copy& copy);
  void take_sent();
  void drop_sent() noexcept;
  void finish_sending(Key key);
  [[nodiscard]] bool wait_for_send();
  void lock_host(Key key, std::size_t size);
  void finish_writing(Key key);
  void erase(Order::iterator at);
  [[nodiscard]] bool bring_back(const Piece& piece, std::span<std::byte> to, std::size_t from = 0);
  [[nodiscard]] bool bring_rest(Send& send);
  [[nodiscard]] std::size_t bring_all_rests();
  void settle(Lanes::Lane lane) noexcept;

  device::Device& device_;
  Options options_;
  std::optional<Lanes> lanes_;  ///< none where the device could not be begun with
  DevicePool pool_;
  bool is_in_place_ = false;
  std::int64_t in_place_bytes_ = 0;  ///< of the frames with work under way
  Order order_;
  std::unordered_map<Key, Order::iterator> copies_;
  std::unordered_map<Key, std::uint64_t> writing_;  ///< frames that evicted copies go to: point
  std::vector<Send> sends_;
  PieceLength piece_length_;
  bool is_for_network_ = true;  ///< until the device says no
  std::deque<Source> sources_;
  std::vector<Left> left_;
  std::vector<Operand> operands_;  ///< of the run under way
  std::vector<Piece> scratch_;
  std::int64_t ahead_bytes_ = 0;
  std::int32_t pc_ = 0;
  bool is_retired_ = false;
  std::string failure_;
  ResidencyCounts counts_;
  ResidencyCounts taken_;
};

}  // namespace blockyard::block
