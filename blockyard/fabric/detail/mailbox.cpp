// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/detail/mailbox.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>
#include <vector>

namespace blockyard::fabric::detail {

namespace {

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
  }
  filled_.notify_one();
}

std::optional<Message> Mailbox::take(double wait_seconds, const std::atomic<bool>& is_over) {
  std::unique_lock lock(mutex_);
  const auto has_news = [&] { return !messages_.empty() || is_over; };
  if (wait_seconds > 0) filled_.wait_for(lock, to_duration(wait_seconds), has_news);
  if (messages_.empty() || is_over) return std::nullopt;
  const auto chosen = choose();
  std::optional<Message> message = std::move(*chosen);
  messages_.erase(chosen);
  return message;
}

void Mailbox::wake() noexcept {
  // Who looked before the flag was up waits by now, and hears this.
  { const std::lock_guard lock(mutex_); }
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
