// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <random>

#include "blockyard/device/abi.h"

namespace blockyard::device::sim {

/// Parts of a device that work at the same time, each on one thing at a time.
enum class Engine : std::uint8_t { copies_in, copies_out, arithmetic };

/// One record of an event. Shared by the event, the task that reaches it and the tasks that wait
/// for it, for an event may be recorded again or closed before them.
struct Point {
  bool is_done = false;
  bool has_failed = false;
  double due = 0;  ///< when a device with the modelled rates has reached it
};

/// A piece of enqueued work. It starts once `after` is done, if there is one.
struct Task {
  std::function<void()> work;
  std::shared_ptr<Point> after;
  std::shared_ptr<Point> reaches;
  double seconds = 0;  ///< that it seems to take
  Engine engine = Engine::arithmetic;
  double enqueued = 0;
};

struct Stream {
  std::deque<Task> tasks;
  double due = 0;           ///< when what was done of it is, by the modelled rates
  bool has_failed = false;  // then the rest is skipped, and its points have failed too
};

struct Event {
  std::shared_ptr<Point> last;
};

/// The streams of one device, and the dice that choose which of them advances. It has no threads:
/// work runs inside the calls that wait for it. One thread.
class Machine {
 public:
  Machine(std::uint64_t seed, std::uint64_t fail_after, std::chrono::microseconds per_piece)
      : random_(seed), drifts_(seed != 0), pieces_left_(fail_after), per_piece_(per_piece) {}

  [[nodiscard]] Stream* open_stream() { return &streams_.emplace_back(); }
  /// Finishes the work of the stream first.
  void close_stream(Stream* stream);
  /// Lets a random amount of work happen, if the seed is not 0.
  void drift();
  /// Runs one piece of work of a random stream. False if none is left.
  bool step();
  void finish(const Stream& stream);
  void finish(const Point& point);
  void finish_all();
  /// Drops all pending work.
  void drop_all();

 private:
  void run_first(Stream& stream);

  std::list<Stream> streams_;
  std::array<double, 3> free_{};  ///< when each engine has done its work
  std::mt19937_64 random_;
  bool drifts_;
  std::uint64_t pieces_left_;
  std::chrono::microseconds per_piece_;  ///< what each takes besides its work
};

}  // namespace blockyard::device::sim
