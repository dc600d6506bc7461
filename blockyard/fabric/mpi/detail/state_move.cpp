// SPDX-License-Identifier: Apache-2.0
// The part of MpiState that moves letters: by ranks that send or wait, else by the main thread.
#include <algorithm>
#include <thread>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/fabric/mpi/detail/state.h"

namespace blockyard::fabric {

using detail::Letter;
using detail::Subject;

namespace {

/// A rank that waits looks without rest for as long as it would take to fall asleep and be woken.
constexpr double watching_seconds = 5e-5;
/// So many looks, about two microseconds, before it lets others have the processor, which takes
/// longer than a look.
constexpr int looks_of_a_turn = 8;
/// The main thread looks without rest after something moved: about ten microseconds.
constexpr int restless_steps = 20;
/// Then naps that double. With transfers under way, or peers that cannot ring, they stay short.
constexpr double shortest_nap_seconds = 5e-6;
constexpr double lively_nap_seconds = 2e-5;
constexpr double longest_nap_seconds = 2e-4;
/// How long after the last letter more are likely.
constexpr double lively_seconds = 1e-2;

}  // namespace

void MpiState::leave(int process, Letter letter) {
  const std::lock_guard lock(outbox_mutex_);
  outbox_.emplace_back(process, std::move(letter));
}

void MpiState::post(int process, Letter letter) {
  leave(process, std::move(letter));
  move_now();
}

void MpiState::move_now() {
  {
    const std::unique_lock lock(moving_mutex_, std::try_to_lock);
    if (lock) {
      step();
      if (!must_go_on()) return;
    }
  }
  // The thread that moves letters, or the main thread, looks again.
  node_.own().ring();
}

template <class IsOver>
void MpiState::move_until(double seconds, const IsOver& is_over) {
  detail::Bell& bell = node_.own();
  const double end = base::now_seconds() + seconds;
  std::uint32_t seen = 0;
  bool is_left = false;
  bell.watchers.fetch_add(1, std::memory_order_seq_cst);
  for (int looks = 1;; ++looks) {
    seen = bell.count.load();
    {
      const std::unique_lock lock(moving_mutex_, std::try_to_lock);
      if (lock) step();
      is_left = !lock || must_go_on();
    }
    if (is_over()) break;
    if (looks % looks_of_a_turn != 0) continue;
    // Threads that have work come first.
    std::this_thread::yield();
    if (base::now_seconds() >= end) break;
  }
  if (bell.watchers.fetch_sub(1, std::memory_order_seq_cst) > 1) return;
  // A ring since the last look relied on a watcher; a look is shorter than a wake-up.
  if (!is_left && bell.count.load() != seen) {
    const std::unique_lock lock(moving_mutex_, std::try_to_lock);
    if (lock) step();
    is_left = !lock || must_go_on();
  }
  if (is_left) bell.wake();
}

std::optional<Message> MpiState::poll(int rank, double wait_seconds) {
  detail::Mailbox& box = mailbox(rank);
  auto message = box.take(0, is_aborted_);
  if (!message && wait_seconds > 0) {
    if (node_.processes() > 1)
      move_until(std::min(watching_seconds, wait_seconds), [&] {
        message = box.take(0, is_aborted_);
        return message || is_aborted_;
      });
    if (!message) message = box.take(wait_seconds, is_aborted_);
  }
  check_alive();
  return message;
}

bool MpiState::is_answered(Ticket ticket) {
  move_now();
  const std::lock_guard lock(window_mutex_);
  base::require(ticket <= last_ticket_, "a ticket was asked for that was never given");
  return !asked_.contains(ticket);
}

void MpiState::progress(double seconds) {
  const double end = base::now_seconds() + seconds;
  int idle_steps = 0;
  for (;;) {
    detail::Bell& bell = node_.own();
    const std::uint32_t seen = bell.count.load();
    bool is_left = false;
    bool is_lively = false;
    std::vector<std::string> texts;
    {
      const std::lock_guard lock(moving_mutex_);
      idle_steps = step() ? 0 : idle_steps + 1;
      is_left = must_go_on();
      is_lively = base::now_seconds() < last_moved_ + lively_seconds;
      texts.swap(texts_);
    }
    hear(texts);
    if (is_woken_.exchange(false)) return;
    const bool is_watched = bell.watchers.load() > 0;
    if (idle_steps <= restless_steps && !is_watched) continue;
    const double left = end - base::now_seconds();
    if (left <= 0) return;
    if (!node_.is_all() || (is_left && !is_watched))
      rest(seen, idle_steps - restless_steps, is_lively);
    else
      bell.wait(seen, left);
  }
}

void MpiState::rest(std::uint32_t seen, int idle_steps, bool is_lively) {
  const int doublings = std::clamp(idle_steps, 0, 10);
  const double doubled = shortest_nap_seconds * static_cast<double>(1 << doublings);
  node_.own().wait(seen, std::min(doubled, is_lively ? lively_nap_seconds : longest_nap_seconds));
}

void MpiState::hear(const std::vector<std::string>& texts) const {
  for (const std::string& text : texts)
    if (options_.hear) options_.hear(text);
}

bool MpiState::step() {
  lending_.take_back();
  if (must_spread_abort_.exchange(false)) spread_abort();
  if (is_aborted_) mover_.drop_waiting();
  const bool has_posted = post_outgoing();
  const bool has_moved = mover_.progress();
  // A delivered letter may have been answered already.
  if (has_moved) post_outgoing();
  if (has_posted || has_moved) last_moved_ = base::now_seconds();
  return has_posted || has_moved;
}

bool MpiState::must_go_on() {
  return mover_.is_busy() || node_.own().announced.load() > mover_.taken() || !texts_.empty() ||
         is_woken_;
}

bool MpiState::post_outgoing() {
  for (bool has_posted = false;; has_posted = true) {
    {
      const std::lock_guard lock(outbox_mutex_);
      std::swap(outbox_, posting_);
    }
    if (posting_.empty()) return has_posted;
    for (auto& [process, letter] : posting_) {
      if (is_aborted_) break;
      if (process == node_.process()) {
        deliver(process, std::move(letter));
        continue;
      }
      mover_.post(process, std::move(letter));
    }
    posting_.clear();
  }
}

void MpiState::spread_abort() {
  std::string cause;
  {
    const std::lock_guard lock(cause_mutex_);
    cause = cause_;
  }
  for (int process = 0; process < node_.processes(); ++process) {
    if (process == node_.process()) continue;
    mover_.post_last(process, detail::letter_of(Subject::abort, cause));
  }
}

bool MpiState::end(double patience_seconds) {
  bool is_in_barrier = false;
  double aborted_at = -1;
  for (int idle_steps = 0;; ++idle_steps) {
    const std::uint32_t seen = node_.own().count.load();
    {
      const std::lock_guard lock(moving_mutex_);
      if (step()) idle_steps = 0;
      if (!is_in_barrier && !mover_.is_sending() && !must_spread_abort_) {
        mover_.begin_barrier();
        is_in_barrier = true;
      }
      // An abort is received before its sender comes to the barrier: here all know of it, or none.
      if (is_in_barrier && mover_.is_barrier_over()) break;
    }
    if (is_aborted_) {
      const double now = base::now_seconds();
      if (aborted_at < 0) aborted_at = now;
      if (now > aborted_at + patience_seconds) return false;
    }
    if (idle_steps > restless_steps) rest(seen, idle_steps - restless_steps, false);
  }
  {
    const std::lock_guard lock(moving_mutex_);
    hear(texts_);
  }
  check_alive();
  return true;
}

}  // namespace blockyard::fabric
