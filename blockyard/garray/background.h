// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace blockyard::garray {

/// Work that a background thread does, in the order in which it was given, while the program goes
/// on. The thread is there from the first work on. Any thread: mutex_ guards all.
class Background {
 public:
  /// Names work that was given; counted from 1.
  using Ticket = std::uint64_t;

  Background() = default;
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  /// Does all that was given.
  ~Background();

  /// Most bytes that work may hold before start() waits.
  void set_most_bytes(std::size_t bytes);
  /// bytes: that the work holds until it is done.
  Ticket start(std::size_t bytes, std::function<void()> work);
  /// Whether this work and all before it is done. Throws what work threw first.
  [[nodiscard]] bool is_done(Ticket ticket);
  void wait(Ticket ticket);

 private:
  struct Given {
    std::size_t bytes = 0;
    std::function<void()> work;
  };
  void serve();
  void throw_if_failed();

  static constexpr std::size_t usual_most_bytes = std::size_t{256} << 20;
  std::mutex mutex_;
  std::condition_variable given_, done_;
  std::deque<Given> queue_;
  Ticket started_ = 0, finished_ = 0;
  std::size_t held_bytes_ = 0, most_bytes_ = usual_most_bytes;
  std::exception_ptr failure_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace blockyard::garray
