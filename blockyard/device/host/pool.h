// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace blockyard::device::host {

/// Threads that share a range of numbers: each always takes the same share of it, so that its
/// data stays in the caches near it when the next range means the same data. The threads
/// start with the first range that is shared. Any thread; where two share at a time, the second
/// one does all of its range itself.
class Pool {
 public:
  /// Computes begin .. end - 1. Throws nothing.
  using Body = std::function<void(std::int64_t begin, std::int64_t end)>;

  /// threads: including the caller.
  explicit Pool(int threads) : threads_(threads) {}
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  [[nodiscard]] int threads() const noexcept { return threads_; }
  /// Calls body for parts of 0 .. count - 1 on all threads, and returns when all are done.
  void share(std::int64_t count, const Body& body);

 private:
  void start();
  void work(int number, std::uint64_t seen);
  void run_share(int number) const;

  const int threads_;
  std::mutex sharing_;  ///< held by the sharing thread; guards others_
  std::vector<std::thread> others_;
  std::mutex mutex_;  ///< guards the rest
  std::condition_variable begins_, ends_;
  std::int64_t count_ = 0;
  const Body* body_ = nullptr;
  std::uint64_t round_ = 0;
  int working_ = 0;
  bool is_ending_ = false;
};

}  // namespace blockyard::device::host
