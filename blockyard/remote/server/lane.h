// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <list>
#include <string>

#include "blockyard/remote/server/exported.h"

namespace blockyard::remote {

/// A stream of a client and the thread that does its work in order: also on a device that works
/// inside the call, like the host, receiving continues meanwhile.
class Lane {
 public:
  using Work = std::function<blockyard_status()>;
  /// Memory that work uses.
  using Kept = std::shared_ptr<const void>;

  /// Throws Error{device}.
  Lane(Exported& device, std::uint32_t stream);
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  [[nodiscard]] blockyard_stream* stream() const noexcept { return stream_; }
  /// Adds work; `kept` stays until it is done. A turn of the stream passes to another client before
  /// the work begins, or where it says so by leave_turn. Waits while much is enqueued already.
  /// Throws Error{bad_input} if the number is not the next one.
  void add(std::uint64_t sequence, Work work, Kept kept = {}, bool keeps_turn = false);
  /// Adds what is done already.
  void add_landed(std::uint64_t sequence);
  /// The same for a part of work on the device, which needs a turn; `work` enqueues it.
  void add_part(std::uint64_t sequence, Work work);
  /// From the thread of this lane, if the device is timed: work of one kind begins; what was
  /// enqueued of another kind is done then.
  void begin_kind(double WorkSeconds::*kind);
  /// What was enqueued of it is done.
  void end_kind();
  /// From the thread of this lane, before it waits.
  void leave_turn() { turn_.leave(); }
  /// Notifies the client when all work up to `sequence` is done.
  void tell(std::uint64_t sequence);
  /// Any thread: returns when all to `sequence` is done. False: it never will be.
  [[nodiscard]] bool reach(std::uint64_t sequence);
  /// From the thread of this lane: all its work is done on the device. Status of the device.
  [[nodiscard]] blockyard_status settle();
  /// Nothing that was added will touch memory any more.
  [[nodiscard]] bool is_idle();
  [[nodiscard]] bool has_reached(std::uint64_t sequence);
  [[nodiscard]] std::uint64_t last() const noexcept { return last_; }
  /// Drops work that has not begun; returns at once.
  void end() noexcept;
  /// Ends it and waits for its thread. Not from a thread of a lane.
  void stop() noexcept;

 private:
  struct Task {
    std::uint64_t sequence;
    Work work;
    Kept kept;
    bool keeps_turn = false;
  };
  void add(Task task);
  void work();
  void take_up(Task task);
  void advance(std::uint64_t sequence);
  void fail(std::uint64_t from, std::string text);
  [[nodiscard]] blockyard_status run_part(const Work& work);
  /// is_in_turn: of this lane, on its thread; no message is sent then, since others would wait for
  /// a client that does not receive.
  void tell_client(std::unique_lock<std::mutex>& lock, bool is_in_turn);
  void say(Kind kind, const auto& message) noexcept;
  [[nodiscard]] bool is_to_settle();

  Exported& device_;
  std::uint32_t number_;
  blockyard_stream* stream_ = nullptr;
  std::uint64_t last_ = 0;       ///< of the thread that receives
  std::uint64_t last_work_ = 0;  ///< the same, of what is not done already
  // The rest is guarded by the mutex of the device.
  std::list<Task> tasks_;
  std::vector<Kept> kept_;
  std::uint64_t enqueued_ = 0;  ///< the device has it
  std::uint64_t done_ = 0;
  std::uint64_t failed_from_ = UINT64_MAX;
  std::uint64_t wanted_ = 0;  ///< a caller waits for it
  std::uint64_t asked_ = 0;   ///< the client wants to know
  std::uint64_t told_ = 0;
  std::atomic<bool> is_ended_ = false;  ///< set under the mutex
  // Of the thread of this lane.
  Turn turn_;
  double unsettled_since_ = 0;  ///< parts were enqueued then whose time is not counted yet; 0: none
  int unsettled_ = 0;           ///< how many
  double WorkSeconds::*kind_ = nullptr;  ///< of work that is enqueued and timed
  double kind_since_ = 0;
  std::thread thread_;
};

}  // namespace blockyard::remote
