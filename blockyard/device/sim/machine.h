// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <random>

#include "blockyard/device/abi.h"

namespace blockyard::device::sim {

/// One record of an event. Shared by the event, the task that reaches it and the tasks that wait
/// for it, for an event may be recorded again or closed before them.
struct Point {
  bool is_done = false;
  bool has_failed = false;
};

/// A piece of enqueued work. It starts once `after` is done, if there is one.
struct Task {
  std::function<void()> work;
  std::shared_ptr<Point> after;
  std::shared_ptr<Point> reaches;
};

struct Stream {
  std::deque<Task> tasks;
  bool has_failed = false;  // then the rest is skipped, and its points have failed too
};

struct Event {
  std::shared_ptr<Point> last;
};

/// The streams of one device, and the dice that say which of them goes on. There are no threads:
/// work runs inside the calls of those who wait for it. One thread.
class Machine {
 public:
  Machine(std::uint64_t seed, std::uint64_t fail_after, std::chrono::microseconds per_piece)
      : random_(seed), drifts_(seed != 0), pieces_left_(fail_after), per_piece_(per_piece) {}

  [[nodiscard]] Stream* open_stream() { return &streams_.emplace_back(); }
  /// Finishes the work of the stream first.
  void close_stream(Stream* stream);
  /// Lets a random amount of work happen, if the seed is not 0.
  void drift();
  /// One piece of work of a random stream. False if nothing is left.
  bool step();
  void finish(const Stream& stream);
  void finish(const Point& point);
  void finish_all();
  /// Forgets all work: nothing of it ever happens.
  void drop_all();

 private:
  void run_first(Stream& stream);

  std::list<Stream> streams_;
  std::mt19937_64 random_;
  bool drifts_;
  std::uint64_t pieces_left_;
  std::chrono::microseconds per_piece_;  ///< what each takes beside its work
};

}  // namespace blockyard::device::sim
