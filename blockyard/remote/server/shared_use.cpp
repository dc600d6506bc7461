// SPDX-License-Identifier: Apache-2.0
#include "blockyard/remote/server/shared_use.h"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include "blockyard/base/clock.h"

namespace blockyard::remote {

namespace {

constexpr double newest = 0.3;        // weight of the last part in their mean
constexpr double recent_seconds = 1;  // after its last turn a client still counts as working
constexpr std::chrono::milliseconds most_wait(500);  // for memory that others give back
constexpr double pause_seconds = 2;                  // before a client asks for more of it

double blend(double old, double now) { return old == 0 ? now : old + newest * (now - old); }

}  // namespace

bool SharedUse::is_shared(const Account& account) const {
  const double now = base::now_seconds();
  return std::ranges::any_of(accounts_, [&](const Account& other) {
    return &other != &account && (other.waiting > 0 || other.running > 0 || other.queued > 0 ||
                                  now - other.last_seconds < recent_seconds);
  });
}

/// Among equals the one that has used less, so that a newcomer does not wait for all others.
bool SharedUse::may_begin(const Account& account) const {
  const auto rank = [](const Account& one) { return std::tuple(one.level, one.used_seconds); };
  return std::ranges::none_of(accounts_, [&](const Account& other) {
    if (&other == &account) return false;
    return other.running > 0 ||
           (other.waiting > 0 && (account.running > 0 || rank(other) < rank(account)));
  });
}

double SharedUse::queue_seconds(const Account* except) const {
  double seconds = 0;
  for (const Account& one : accounts_)
    if (&one != except) seconds += one.queued * one.part_seconds;
  return seconds;
}

Rates SharedUse::Meters::rates() {
  const double now = base::now_seconds();
  return {received.a_second(now), sent.a_second(now), busy.a_second(now)};
}

DeviceUse SharedUse::state() const {
  const std::lock_guard lock(mutex_);
  DeviceUse now{queue_seconds(nullptr), memory_bytes_, limit_bytes_, meters_.rates(), {}};
  for (Account& one : accounts_)
    now.clients.push_back({one.client, one.weight, one.used_seconds,
                           static_cast<std::uint32_t>(one.queued), one.memory_bytes,
                           one.meters.rates()});
  return now;
}

int SharedUse::waiting() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(
      std::ranges::count_if(accounts_, [](const Account& account) { return account.waiting > 0; }));
}

void SharedUse::spend(Account& account, double seconds, int parts) {
  account.used_seconds += seconds;
  account.part_seconds = blend(account.part_seconds, seconds / parts);
  account.last_seconds = base::now_seconds();
  for (Meters* meters : {&meters_, &account.meters})
    meters->busy.add(account.last_seconds, seconds);
}

Seat::Seat(std::shared_ptr<SharedUse> use, const std::string& client, double weight)
    : use_(std::move(use)) {
  const std::lock_guard lock(use_->mutex_);
  account_ = use_->accounts_.insert(use_->accounts_.end(), {.client = client, .weight = weight});
}

Seat::~Seat() {
  const std::lock_guard lock(use_->mutex_);
  use_->memory_bytes_ -= account_->memory_bytes;
  use_->accounts_.erase(account_);
  use_->changed_.notify_all();
}

std::shared_ptr<void> Seat::queue() {
  const std::lock_guard lock(use_->mutex_);
  ++account_->queued;
  return {this, [](Seat* seat) {
            const std::lock_guard again(seat->use_->mutex_);
            --seat->account_->queued;
          }};
}

void Seat::note(double seconds, int parts) {
  const std::lock_guard lock(use_->mutex_);
  use_->spend(*account_, seconds, parts);
}

void Seat::count_received(std::uint64_t bytes) {
  const std::lock_guard lock(use_->mutex_);
  const double now = base::now_seconds();
  for (auto* meters : {&use_->meters_, &account_->meters})
    meters->received.add(now, static_cast<double>(bytes));
}

void Seat::count_sent(std::uint64_t bytes) {
  const std::lock_guard lock(use_->mutex_);
  const double now = base::now_seconds();
  for (auto* meters : {&use_->meters_, &account_->meters})
    meters->sent.add(now, static_cast<double>(bytes));
}

void Seat::count_work(double WorkSeconds::*kind, double seconds) {
  const std::lock_guard lock(use_->mutex_);
  work_.*kind += seconds;
}

WorkSeconds Seat::work() const {
  const std::lock_guard lock(use_->mutex_);
  return work_;
}

void Seat::wake() {
  const std::lock_guard lock(use_->mutex_);
  use_->changed_.notify_all();
}

bool Seat::take_memory(std::uint64_t bytes, std::uint64_t most_bytes) {
  const std::lock_guard lock(use_->mutex_);
  const auto fits = [bytes](std::uint64_t held, std::uint64_t limit) {
    return limit == 0 || (bytes <= limit && held <= limit - bytes);
  };
  if (!fits(account_->memory_bytes, most_bytes) || !fits(use_->memory_bytes_, use_->limit_bytes_))
    return false;
  use_->memory_bytes_ += bytes;
  account_->memory_bytes += bytes;
  return true;
}

std::uint64_t Seat::memory_bytes() const {
  const std::lock_guard lock(use_->mutex_);
  return account_->memory_bytes;
}

void Seat::give_memory(std::uint64_t bytes) {
  const std::lock_guard lock(use_->mutex_);
  use_->memory_bytes_ -= bytes;
  account_->memory_bytes -= bytes;
  use_->changed_.notify_all();
}

void Seat::ask_others(std::uint64_t bytes) {
  std::unique_lock lock(use_->mutex_);
  const double now = base::now_seconds();
  if (now - account_->asked_seconds < pause_seconds) return;
  bool has_asked = false;
  for (SharedUse::Account& other : use_->accounts_) {
    if (&other == &*account_ || other.memory_bytes == 0) continue;
    other.wanted_bytes = std::max(other.wanted_bytes, bytes);
    has_asked = true;
    account_->asked_seconds = now;
  }
  const std::uint64_t before = use_->memory_bytes_;
  if (has_asked)
    use_->changed_.wait_for(lock, most_wait, [&] { return use_->memory_bytes_ + bytes <= before; });
}

Load Seat::load() const {
  const std::lock_guard lock(use_->mutex_);
  const std::uint64_t limit = use_->limit_bytes_;
  return {0, use_->queue_seconds(&*account_), limit - std::min(limit, use_->memory_bytes_)};
}

std::uint64_t Seat::take_wanted() {
  const std::lock_guard lock(use_->mutex_);
  return std::exchange(account_->wanted_bytes, 0);
}

bool Turn::begin(const std::function<bool()>& gives_up) {
  SharedUse& use = *seat_.use_;
  SharedUse::Account& account = *seat_.account_;
  std::unique_lock lock(use.mutex_);
  const bool is_new = account.running == 0 && account.waiting == 0;
  if (is_new) account.level = std::max(account.level, use.level_);
  ++account.waiting;
  if (std::exchange(has_turn_, false)) {
    --account.running;
    use.changed_.notify_all();
  }
  use.changed_.wait(lock, [&] { return gives_up() || use.may_begin(account); });
  --account.waiting;
  if (gives_up()) {
    use.changed_.notify_all();
    return false;
  }
  ++account.running;
  use.level_ = std::max(use.level_, account.level);
  has_turn_ = true;
  is_shared_ = use.is_shared(account);
  return true;
}

void Turn::end(double seconds) {
  const std::lock_guard lock(seat_.use_->mutex_);
  SharedUse::Account& account = *seat_.account_;
  account.level += seconds / account.weight;
  seat_.use_->spend(account, seconds, 1);
}

void Turn::leave() {
  if (!std::exchange(has_turn_, false)) return;
  const std::lock_guard lock(seat_.use_->mutex_);
  --seat_.account_->running;
  seat_.use_->changed_.notify_all();
}

}  // namespace blockyard::remote
