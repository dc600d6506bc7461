// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "blockyard/base/clock.h"

namespace blockyard::bench {

/// The processors that this thread may use.
inline cpu_set_t allowed_processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  return allowed;
}

/// Keeps this thread on one of the allowed processors, counted round.
inline void stay_on(const cpu_set_t& allowed, int number) {
  number %= std::max(1, CPU_COUNT(&allowed));
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (!CPU_ISSET(processor, &allowed) || number-- > 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    sched_setaffinity(0, sizeof one, &one);
    return;
  }
}

/// While it lives, this thread stays on the first processor that it may use.
class Seated {
 public:
  Seated() { stay_on(allowed_, 0); }
  Seated(const Seated&) = delete;
  Seated& operator=(const Seated&) = delete;
  ~Seated() { sched_setaffinity(0, sizeof allowed_, &allowed_); }

 private:
  cpu_set_t allowed_ = allowed_processors();
};

/// Threads that are there when a call comes, as the workers of a job are: starting one takes as
/// long as a small product. Thread p stays on processor p: one that wakes begins where it was
/// woken, after its waker, and workers wake seldom. One thread makes it, and calls it Seated.
class Team {
 public:
  /// part(0) is done by the caller, part(p) by thread p.
  Team(int threads, std::function<void(int)> part) : part_(std::move(part)) {
    for (int p = 1; p < threads; ++p) others_.emplace_back([this, p] { work(p); });
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team() {
    is_over_ = true;
    begin_call();
  }
  void run() {
    pending_ = static_cast<int>(others_.size());
    begin_call();
    part_(0);
    while (pending_ != 0) std::this_thread::yield();
  }

 private:
  void begin_call() {
    ++calls_;
    calls_.notify_all();
  }
  void work(int p) {
    stay_on(allowed_, p);
    for (int seen = 0;; ++seen) {
      // Calls come close together within a measurement; between two of them nothing may turn.
      const double until = base::now_seconds() + 1e-3;
      while (calls_ == seen && base::now_seconds() < until) std::this_thread::yield();
      calls_.wait(seen);
      if (is_over_) return;
      part_(p);
      --pending_;
    }
  }

  cpu_set_t allowed_ = allowed_processors();
  std::function<void(int)> part_;
  std::atomic<int> calls_ = 0, pending_ = 0;
  std::atomic<bool> is_over_ = false;
  std::vector<std::jthread> others_;  // the last member: they use the others
};

}  // namespace blockyard::bench
