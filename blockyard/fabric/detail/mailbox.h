// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <random>

#include "blockyard/fabric/fabric.h"

namespace blockyard::fabric::detail {

/// The messages that wait for one rank. Any thread: mutex_ guards all.
class Mailbox {
 public:
  /// From now on take() draws the sender it hears next; the order of each sender stays.
  void draw_senders(std::uint64_t seed);
  void put(Message message);
  /// The next message; nothing if none came within `wait_seconds`, or once `is_over`.
  [[nodiscard]] std::optional<Message> take(double wait_seconds, const std::atomic<bool>& is_over);
  /// Lets who waits look at `is_over`.
  void wake() noexcept;

 private:
  [[nodiscard]] std::deque<Message>::iterator choose();

  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<Message> messages_;
  std::optional<std::mt19937_64> draw_;
};

}  // namespace blockyard::fabric::detail
