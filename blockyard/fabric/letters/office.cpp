// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/letters/office.h"

#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"

namespace blockyard::fabric::letters {

namespace {

void nap(long microseconds) noexcept {
  const timespec length{0, microseconds * 1000};
  nanosleep(&length, nullptr);
}

/// Of a thread that waits for an answer: looks, then leaves the core to others, then sleeps a bit.
class Rest {
 public:
  void take() noexcept {
    constexpr int restless_steps = 200, patient_steps = 2000;
    ++idle_;
    if (idle_ < restless_steps) return;
    if (idle_ < patient_steps)
      std::this_thread::yield();
    else
      nap(50);
  }
  void begin_again() noexcept { idle_ = 0; }

 private:
  int idle_ = 0;
};

/// Timers of a thread are late by 50 microseconds unless it says otherwise.
void want_exact_timers() noexcept { prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL); }

}  // namespace

Office::Office(const Open& open, int processes, bool has_thread)
    : processes_(processes), courier_(open(*this)) {
  if (has_thread) thread_ = std::jthread([this] { serve(); });
}

Office::~Office() { end(); }

void Office::begin(Clerk& clerk) {
  const std::lock_guard lock(moving_mutex_);
  clerk_ = &clerk;
}

void Office::close(const std::function<void()>& settle) noexcept {
  try {
    if (!is_aborted_ && !is_over_) {
      settle();
      move_until([this] { return has_all_answers() && !courier_->is_sending(); });
      {
        const std::lock_guard lock(moving_mutex_);
        courier_->begin_barrier();
      }
      move_until([this] { return courier_->is_barrier_over() && !courier_->is_sending(); });
    }
  } catch (const std::exception&) {
    // The run was aborted, and its cause told.
  }
  end();
  const std::lock_guard lock(moving_mutex_);
  if (!is_aborted_) courier_.reset();
}

bool Office::has_all_answers() const {
  return std::ranges::all_of(asked_, [](const auto& one) { return one.second.is_answered; });
}

void Office::end() noexcept {
  is_over_ = true;
  if (thread_.joinable()) thread_.join();
}

void Office::throw_cause() const {
  const std::lock_guard lock(moving_mutex_);
  throw base::Error(base::Errc::comm, cause_);
}

void Office::note_cause(std::string_view cause) {
  if (is_aborted_) return;
  cause_ = cause;
  is_aborted_.store(true, std::memory_order_release);
}

bool Office::step() {
  if (clerk_ == nullptr) return false;
  const bool any = courier_->progress();
  has_patients_ = clerk_->serve_waiting();
  return any;
}

template <class IsOver>
void Office::move_until(const IsOver& is_over) {
  Rest rest;
  ++waiting_threads_;
  try {
    for (;;) {
      check_alive();
      if (const std::unique_lock lock(moving_mutex_, std::try_to_lock); lock.owns_lock()) {
        if (is_over()) break;
        if (step()) rest.begin_again();
        if (is_over()) break;
      }
      rest.take();
    }
  } catch (...) {
    --waiting_threads_;
    throw;
  }
  --waiting_threads_;
}

void Office::move_now() {
  check_alive();
  const std::unique_lock lock(moving_mutex_, std::try_to_lock);
  if (lock.owns_lock()) static_cast<void>(step());
}

void Office::serve() noexcept {
  constexpr double restless_seconds = 5e-5, lively_seconds = 2e-3, drowsy_seconds = 0.1;
  constexpr double just_now_seconds = 1e-4;
  want_exact_timers();
  for (double last_moved = base::now_seconds(); !is_over_ && !is_aborted_;) {
    // A thread that waits, or starts transfer after transfer, moves the letters; two would only
    // wait for each other.
    if (waiting_threads_ > 0 || base::now_seconds() - last_used_ < just_now_seconds) {
      nap(100);
      continue;
    }
    bool has_moved = false;
    try {
      const std::unique_lock lock(moving_mutex_, std::try_to_lock);
      if (lock.owns_lock()) has_moved = step();
    } catch (const std::exception& error) {
      if (was_aborted) was_aborted(error.what());
      const std::lock_guard lock(moving_mutex_);
      note_cause(error.what());
      return;
    }
    const double now = base::now_seconds();
    if (has_moved) last_moved = now;
    const double quiet = now - last_moved;
    if (quiet >= restless_seconds)
      nap(quiet < lively_seconds ? 15 : quiet < drowsy_seconds || has_patients_ ? 100 : 1000);
  }
}

Letter Office::with_piece(Letter letter) {
  letter.front.body_bytes = letter.body.rows.byte_count();
  if (letter.front.piece_bytes == 0)
    letter.front.piece_bytes =
        piece_bytes_of(letter.body.rows, letter.front.kind == Kind::accumulate);
  return letter;
}

std::uint64_t Office::ask(int to, Letter letter, Asked asked) {
  const std::lock_guard lock(moving_mutex_);
  const std::uint64_t number = ++last_number_;
  letter.front.ticket = number;
  asked_.emplace(number, std::move(asked));
  courier_->post(to, Way::there, with_piece(std::move(letter)));
  return number;
}

std::uint64_t Office::tell(int to, Letter letter) {
  const std::lock_guard lock(moving_mutex_);
  std::uint64_t number = 0;
  if (letter.body.rows.byte_count() > short_bytes && letter.body.owned.empty()) {
    number = ++last_number_;
    asked_.emplace(number, Asked{});
    letter.was_sent = [this, number] { asked_.at(number).is_answered = true; };
  }
  courier_->post(to, Way::there, with_piece(std::move(letter)));
  last_used_ = base::now_seconds();
  static_cast<void>(step());
  return number;
}

void Office::answer(int to, Letter letter) {
  letter.front.kind = Kind::answer;
  courier_->post(to, Way::back, with_piece(std::move(letter)));
}

bool Office::done(std::uint64_t number, bool must_wait) {
  if (number == 0) return true;
  bool is_done = false;
  const auto look = [&] {
    const auto found = asked_.find(number);
    is_done = found == asked_.end() || found->second.is_answered;
    if (is_done && found != asked_.end()) asked_.erase(found);
    return is_done;
  };
  if (must_wait) {
    move_until(look);
    return true;
  }
  check_alive();
  const std::lock_guard lock(moving_mutex_);
  if (!look()) {
    static_cast<void>(step());
    static_cast<void>(look());
  }
  return is_done;
}

std::int64_t Office::number_of(std::uint64_t asked) {
  std::int64_t value = 0;
  move_until([&] {
    const auto found = asked_.find(asked);
    if (!found->second.is_answered) return false;
    value = found->second.value;
    return true;
  });
  static_cast<void>(done(asked, true));
  return value;
}

std::vector<std::byte> Office::await(std::uint64_t group, std::uint64_t round, int from) {
  std::vector<std::byte> bytes;
  bool is_here = false;
  move_until([&] {
    if (is_here) return true;
    const auto found = rounds_.find({group, round, from});
    if (found == rounds_.end()) return false;
    bytes = std::move(found->second);
    rounds_.erase(found);
    is_here = true;
    return true;
  });
  return bytes;
}

void Office::send_round(std::uint64_t group, std::uint64_t round, int to,
                        std::vector<std::byte> bytes) {
  Letter letter;
  letter.front.kind = Kind::meet;
  letter.front.ticket = group;
  letter.front.offset = round;
  letter.body = Body::of(std::move(bytes));
  static_cast<void>(tell(to, std::move(letter)));
}

void Office::take(int from, const Front& front, std::span<const std::byte> body) {
  if (front.kind == Kind::meet) {
    rounds_[{front.ticket, front.offset, from}].assign(body.begin(), body.end());
  } else if (front.kind == Kind::abort) {
    const std::string_view cause(reinterpret_cast<const char*>(body.data()), body.size());
    note_cause(cause);
    if (was_aborted) was_aborted(cause);
  } else if (front.kind == Kind::answer) {
    Asked& asked = asked_.at(front.ticket);
    if (!body.empty()) copy_to_far(asked.body.rows, asked.body.place, body.data());
    asked.value = front.value;
    asked.is_answered = true;
  } else {
    clerk_->serve(from, front, body);
  }
}

Intake Office::open(int from, const Front& front) {
  if (front.kind == Kind::meet) return {Body::of(std::vector<std::byte>(front.body_bytes))};
  if (front.kind == Kind::answer) {
    const Body& body = asked_.at(front.ticket).body;
    return {Body{body.rows, body.place}};
  }
  return clerk_->open(from, front);
}

void Office::close(int from, const Front& front, Intake& intake) {
  if (front.kind == Kind::meet)
    rounds_[{front.ticket, front.offset, from}] = std::move(intake.body.owned);
  else if (front.kind == Kind::answer)
    asked_.at(front.ticket).is_answered = true;
  else
    clerk_->close(from, front, intake);
}

void Office::abort(std::string_view cause) noexcept {
  try {
    constexpr int most_steps = 200;
    const std::unique_lock lock(moving_mutex_, std::try_to_lock);
    if (!lock.owns_lock() || is_aborted_ || clerk_ == nullptr) return;
    note_cause(cause.substr(0, short_bytes));
    const auto bytes = std::as_bytes(std::span(cause.substr(0, short_bytes)));
    for (int to = 0; to < processes_; ++to) {
      Letter letter;
      letter.front.kind = Kind::abort;
      letter.body = Body::of({bytes.begin(), bytes.end()});
      courier_->post(to, Way::back, with_piece(std::move(letter)));
    }
    for (int i = 0; i < most_steps && courier_->is_sending(); ++i)
      static_cast<void>(courier_->progress());
  } catch (const std::exception&) {
    // No process is left to tell.
  }
}

}  // namespace blockyard::fabric::letters
