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

/// The messages that wait for one rank. Any thread: mutex_ guards all but has_news_; the rank
/// alone uses is_patient_.
class Mailbox {
 public:
  /// From now on take() draws the sender it hears next; the order of each sender stays.
  void draw_senders(std::uint64_t seed);
  void put(Message message);
  /// The same, but the receiver takes it at once, in this thread, if the rank sleeps in take() and
  /// nobody else is at work for it.
  void hand(Message message);
  /// Fabric::stay_awake. Only by the thread that calls take().
  void stay_awake() noexcept { is_patient_ = true; }
  /// Fabric::receive_by. Only by the thread that calls take().
  void receive_by(Receiver* receiver);
  /// The next message; nothing if none came within `wait_seconds`, if the receiver wants the rank
  /// to wake, or once `is_over`.
  [[nodiscard]] std::optional<Message> take(double wait_seconds, const std::atomic<bool>& is_over);
  /// Lets the rank that waits look at `is_over`.
  void wake() noexcept;

 private:
  [[nodiscard]] std::deque<Message>::iterator choose();
  [[nodiscard]] bool begin_receiving();
  void receive(Message message);
  void end_receiving() noexcept;
  void await_news() const noexcept;

  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<Message> messages_;
  std::optional<std::mt19937_64> draw_;
  Receiver* receiver_ = nullptr;
  bool is_asleep_ = false;    ///< the rank, in take()
  bool is_received_ = false;  ///< the receiver is at work: the rank stays in take()
  bool is_called_ = false;    ///< the rank has to look around
  bool is_patient_ = false;
  std::atomic<bool> has_news_ = false;  ///< since the rank began to wait
};

}  // namespace blockyard::fabric::detail
