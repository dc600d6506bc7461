// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "blockyard/block/frame.h"
#include "blockyard/block/lanes.h"
#include "blockyard/block/peer_copies.h"
#include "blockyard/block/piece_copy.h"
#include "blockyard/block/residency_counts.h"
#include "blockyard/device/host_locks.h"

namespace blockyard::block {

/// How a device run uses an operand, which decides what is copied.
enum class Use : std::uint8_t { read, write, update };

/// What a device has of one worker's frames. In its own memory a block has two copies: the frame,
/// and one here.
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
/// only the work in flight on it is kept here. No block is copied; the host waits where it
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
  /// The form that the device works in. One that fails to begin is retired.
  [[nodiscard]] static std::unique_ptr<Residency> open(device::Device& device, Options options);
  virtual ~Residency() = default;
  Residency(const Residency&) = delete;
  Residency& operator=(const Residency&) = delete;

  /// A run: its operands, then enqueue, then end_run. Nothing from operand or scratch: no room (or
  /// retired), and the host has to do it after end_run(false).
  [[nodiscard]] virtual std::optional<device::Address> operand(const SharedFrame& frame, Use use,
                                                               bool keeps = false) = 0;
  /// Memory for this run only.
  [[nodiscard]] virtual std::optional<device::Address> scratch(std::size_t size) = 0;
  /// Work on the operands and scratch memory of the run, on one stream, after earlier work.
  /// Only the last call of `work` changes operands: where it is refused they are as they were, but
  /// for a result that was to be overwritten.
  template <class Work>
  void enqueue(const Work& work) {
    const Lanes::Lane lane = begin_work();
    work(stream(lane));
    end_work(lane);
  }
  /// Copies from scratch memory of the run, and waits. After enqueue.
  virtual void read_back(device::Address from, std::span<std::byte> to) = 0;
  virtual void end_run(bool is_done) = 0;
  /// Starts to copy a frame, kept as with `keeps`, that a run will read soon: if there is room that
  /// is free or held by copies that are neither in use nor modified. All that is brought ahead and
  /// not used yet takes at most 1/ahead_share of the memory.
  virtual void bring_ahead(const SharedFrame& frame) = 0;
  static constexpr std::int64_t ahead_share = 4;
  /// Returns when the copies to the device, or the work of runs, are done: to measure them.
  virtual void finish_copies() = 0;
  virtual void finish_runs() = 0;

  /// Whether the device works on the frames themselves.
  [[nodiscard]] virtual bool is_in_place() const noexcept = 0;
  /// The host looks at the frame: its values are there afterwards. Returns whether they had to be
  /// copied. Throws as retire does.
  virtual bool host_reads(const base::Buffer& frame) = 0;
  /// The values of the frame go to another process: starts to copy them to it, unless the network
  /// `reads_devices` and this one can be read. Null: they are there. Else to be told when they are
  /// sent (PieceCopy::end_sending). Throws as retire does.
  [[nodiscard]] virtual std::shared_ptr<PieceCopy> send(const SharedFrame& frame,
                                                        bool reads_devices = false) = 0;
  /// Copies that the network is reading take at most 1/network_share of the memory.
  static constexpr std::int64_t network_share = 4;
  /// Whether such copies are under way: then look_after() has to be called again and again.
  [[nodiscard]] virtual bool is_sending() const noexcept = 0;
  /// Recovers those that failed. Throws as retire does.
  virtual void look_after() = 0;
  /// Before the host overwrites all of the frame, which it may if it is then the sole holder.
  void host_writes(const base::Buffer& frame) noexcept { forget(frame); }
  /// The frame goes, or its values do.
  virtual void forget(const base::Buffer& frame) noexcept = 0;
  /// Drops one reference to a kept frame; the copy is freed with the last reference.
  virtual void release(const SharedFrame& frame) noexcept = 0;
  /// The copy of one frame becomes the modified copy of another. False: there is none, or
  /// another holder may read it.
  [[nodiscard]] virtual bool move(const base::Buffer& from, const base::Buffer& to) = 0;
  /// Frees the copies of kept frames that have no other holder.
  virtual void sweep() = 0;
  /// Whether a run needs no copy of its values.
  [[nodiscard]] virtual bool is_resident(const base::Buffer& frame) const = 0;
  /// Whether the host needs a copy of its values.
  [[nodiscard]] virtual bool is_modified(const base::Buffer& frame) const = 0;

  /// The device failed: modified copies are brought back, and it is not used again.
  /// Throws Error{device} if something is lost.
  virtual void retire(const std::string& why) = 0;
  [[nodiscard]] virtual bool is_retired() const noexcept = 0;
  /// Why it was retired; empty: it was not.
  [[nodiscard]] virtual const std::string& failure() const noexcept = 0;
  [[nodiscard]] virtual ResidencyCounts counts() const = 0;
  /// The counts since the last call.
  [[nodiscard]] virtual ResidencyCounts take_counts() = 0;
  [[nodiscard]] virtual device::Device& device() noexcept = 0;
  /// Where the program is, for the trace.
  virtual void note_program(std::uint16_t program) noexcept = 0;
  virtual void note_place(std::int32_t pc) noexcept = 0;

 protected:
  Residency() = default;

 private:
  [[nodiscard]] virtual Lanes::Lane begin_work() = 0;
  [[nodiscard]] virtual device::Stream& stream(Lanes::Lane lane) = 0;
  virtual void end_work(Lanes::Lane lane) = 0;
};

}  // namespace blockyard::block
