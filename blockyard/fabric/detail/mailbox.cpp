// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/detail/mailbox.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>
#include <vector>

#include "blockyard/base/pause.h"

namespace blockyard::fabric::detail {

namespace {

/// Messages that one sender takes in the place of a rank, in a row: its own and those that came
/// meanwhile. Past these the rank itself continues.
constexpr int most_in_a_row = 16;

/// How long a rank looks for a message before it sleeps: what waking it would take.
constexpr std::chrono::microseconds awake{50};

std::chrono::nanoseconds to_duration(double seconds) {
  constexpr double longest_seconds = 1e6;  // far from the overflow of the clock
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(std::clamp(seconds, 0.0, longest_seconds)));
}

}  // namespace

void Mailbox::draw_senders(std::uint64_t seed) { draw_.emplace(seed); }

void Mailbox::put(Message message) {
  {
    const std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
    if (is_received_) return;  // whoever receives sees it
    has_news_ = true;
  }
  filled_.notify_one();
}

void Mailbox::hand(Message message) {
  if (begin_receiving())
    receive(std::move(message));
  else
    put(std::move(message));
}

void Mailbox::receive_by(Receiver* receiver) {
  const std::lock_guard lock(mutex_);
  receiver_ = receiver;
}

bool Mailbox::begin_receiving() {
  const std::lock_guard lock(mutex_);
  if (receiver_ == nullptr || !is_asleep_ || is_received_ || !messages_.empty() || draw_)
    return false;
  is_received_ = true;
  return true;
}

void Mailbox::receive(Message message) {
  struct End {
    Mailbox& box;
    ~End() { box.end_receiving(); }
  } const end{*this};
  for (int left = most_in_a_row; left > 0; --left) {
    const Receiver::Taken taken = receiver_->take(message);
    const std::lock_guard lock(mutex_);
    if (taken == Receiver::Taken::wakes) is_called_ = true;
    if (taken == Receiver::Taken::no) messages_.push_front(std::move(message));
    if (taken != Receiver::Taken::yes || messages_.empty() || left == 1) return;
    message = std::move(messages_.front());
    messages_.pop_front();
  }
}

void Mailbox::end_receiving() noexcept {
  {
    const std::lock_guard lock(mutex_);
    is_received_ = false;
    if (messages_.empty() && !is_called_) return;
    has_news_ = true;
  }
  filled_.notify_one();
}

/// Returns when there are news, or after `awake`.
void Mailbox::await_news() const noexcept {
  const auto end = std::chrono::steady_clock::now() + awake;
  do {
    for (int i = 0; i < 16; ++i) {
      if (has_news_.load(std::memory_order_acquire)) return;
      base::pause_a_moment();
    }
  } while (std::chrono::steady_clock::now() < end);
}

std::optional<Message> Mailbox::take(double wait_seconds, const std::atomic<bool>& is_over) {
  std::unique_lock lock(mutex_);
  if (wait_seconds > 0) {
    is_asleep_ = true;
    if (is_patient_ && messages_.empty() && !is_called_ && !is_over) {
      has_news_ = false;
      lock.unlock();
      await_news();
      lock.lock();
    }
    filled_.wait_for(lock, to_duration(wait_seconds), [&] {
      return !is_received_ && (!messages_.empty() || is_called_ || is_over);
    });
    // The rank continues only when no other thread works for it.
    is_called_ = true;
    filled_.wait(lock, [&] { return !is_received_; });
    is_asleep_ = is_called_ = false;
  }
  if (messages_.empty() || is_over) return std::nullopt;
  const auto chosen = choose();
  std::optional<Message> message = std::move(*chosen);
  messages_.erase(chosen);
  return message;
}

void Mailbox::wake() noexcept {
  {
    const std::lock_guard lock(mutex_);
    has_news_ = is_called_ = true;
  }
  filled_.notify_all();
}

/// The message to hear next: the first, or the first of a sender that is drawn.
std::deque<Message>::iterator Mailbox::choose() {
  if (!draw_) return messages_.begin();
  std::set<int> seen;
  std::vector<std::deque<Message>::iterator> first_of_sender;
  for (auto it = messages_.begin(); it != messages_.end(); ++it)
    if (seen.insert(it->from).second) first_of_sender.push_back(it);
  return first_of_sender[(*draw_)() % first_of_sender.size()];
}

}  // namespace blockyard::fabric::detail
