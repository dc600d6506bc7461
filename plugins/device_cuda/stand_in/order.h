// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>

// The stand-in for CUDA: runtime and cuBLAS in memory of the host, for tests of the plug-in without
// a GPU. Here: when the work of streams runs, and what is known to come before what.

namespace blockyard::cuda::stand_in {

/// The plug-in broke a rule of CUDA: says which, and ends the process, as a sanitizer does.
[[noreturn]] void fail(const std::string& what);

/// A piece of work: number 1 is the first of its stream, 0 is none.
struct Moment {
  int stream = 0;
  std::uint64_t number = 0;
};

/// The pieces of work, with all before them in their streams, that precede something.
class Past {
 public:
  [[nodiscard]] bool holds(Moment moment) const;
  void add(Moment moment);
  void add(const Past& other);
  [[nodiscard]] const std::map<int, std::uint64_t>& ends() const { return ends_; }

 private:
  std::map<int, std::uint64_t> ends_;
};

}  // namespace blockyard::cuda::stand_in

/// CUDA's headers leave open what its handles point to.
struct CUstream_st {
  struct Piece {
    std::function<void()> run;
    blockyard::cuda::stand_in::Moment after;
  };
  int number, device;
  std::deque<Piece> pending;
  std::uint64_t enqueued = 0;
  blockyard::cuda::stand_in::Past past;  ///< of what is enqueued next
  bool is_destroyed = false;             ///< it ends when its work does

  [[nodiscard]] std::uint64_t done() const { return enqueued - pending.size(); }
};
struct CUevent_st {
  int device;
  blockyard::cuda::stand_in::Moment recorded;
  blockyard::cuda::stand_in::Past past;  ///< with the record
};

namespace blockyard::cuda::stand_in {

using Stream = CUstream_st;
using Event = CUevent_st;

/// Streams and events, and the order in which the work runs that is enqueued. One thread at a time.
class Order {
 public:
  /// With seed 0 work runs when it is waited for, and then no more than that takes; with another
  /// one also before, in an order that the seed decides.
  explicit Order(std::uint64_t seed) : random_(seed), is_lazy_(seed == 0) {}

  [[nodiscard]] Stream* open_stream(int device);
  [[nodiscard]] Event* open_event(int device);
  void destroy(Stream* stream);
  void destroy(Event* event);
  /// Fail unless it is one that is open.
  void check(const Stream* stream, const char* call) const;
  void check(const Event* event, const char* call) const;

  /// Runs `run` after all that is in the stream, and after a piece of work of another one.
  void enqueue(Stream& stream, std::function<void()> run, Moment after = {});
  void record(Event& event, Stream& stream);
  void wait(Stream& stream, const Event& event);
  [[nodiscard]] bool has_ended(Moment moment) const;

  /// The host waits.
  void finish(const Past& past);
  void finish_device(int device);
  /// Whether the host has waited for it.
  [[nodiscard]] bool has_seen(Moment moment) const { return seen_.holds(moment); }
  /// A piece of work runs, if one can: time passes.
  void advance();

  /// What is open still or was never waited for; "": nothing.
  [[nodiscard]] std::string left() const;
  [[nodiscard]] std::uint64_t random() { return random_(); }

 private:
  [[nodiscard]] bool is_ready(const Stream& stream) const;
  void step_towards(Stream& wanted);
  static void run_next(Stream& stream);
  void forget_ended();

  std::mt19937_64 random_;
  bool is_lazy_;
  int last_number_ = 0;
  std::map<int, std::unique_ptr<Stream>> streams_;
  std::map<const Event*, std::unique_ptr<Event>> events_;
  Past seen_;
};

}  // namespace blockyard::cuda::stand_in
