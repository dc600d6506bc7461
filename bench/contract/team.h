// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "blockyard/base/clock.h"

namespace blockyard::bench {

/// Threads that are there when a call comes, as the workers of a job are: starting one takes as
/// long as a small product. One thread makes it and calls it.
class Team {
 public:
  /// part(0) is done by who calls, part(p) by thread p.
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

  std::function<void(int)> part_;
  std::atomic<int> calls_ = 0, pending_ = 0;
  std::atomic<bool> is_over_ = false;
  std::vector<std::jthread> others_;  // the last member: they use the others
};

}  // namespace blockyard::bench
