// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/shares.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"

namespace blockyard::blas {

namespace {

constexpr double least_seconds = 0.02;  // that a part has
constexpr double allowed = 2;           // times what the longest part took

}  // namespace

Shares::Shares(std::int64_t extent, std::int64_t reserved, int devices)
    : back_(extent), reserved_(reserved), began_(base::now_seconds()), devices_left_(devices) {}

std::optional<Shares::Range> Shares::take_front(std::int64_t width, int device) {
  const std::lock_guard lock(mutex_);
  if (front_ >= back_ && returned_.empty()) return std::nullopt;
  Range range{front_, std::min(front_ + width, back_)};
  if (!returned_.empty()) {
    range = returned_.back();
    returned_.pop_back();
  } else {
    front_ = range.to;
  }
  parts_.push_back(
      {.range = range, .device = device, .began = base::now_seconds(), .has_left = {}});
  return range;
}

Shares::Part& Shares::part_at(std::int64_t from) {
  const auto found =
      std::ranges::find_if(parts_, [&](const Part& part) { return part.range.from == from; });
  base::require(found != parts_.end(), "a part that is noted was taken");
  return *found;
}

void Shares::note_under_way(std::int64_t from, std::function<bool()> has_left) {
  const std::lock_guard lock(mutex_);
  Part& part = part_at(from);
  part.state = State::under_way;
  part.has_left = std::move(has_left);
}

bool Shares::begin_write(std::int64_t from) {
  const std::lock_guard lock(mutex_);
  Part& part = part_at(from);
  part.has_left = {};
  if (part.state == State::late) return false;
  part.state = State::writing;
  return true;
}

void Shares::end_write(std::int64_t from) {
  const std::lock_guard lock(mutex_);
  Part& part = part_at(from);
  part.state = State::complete;
  longest_seconds_ = std::max(longest_seconds_, base::now_seconds() - part.began);
  changed_.notify_all();
}

void Shares::end_front(int device) {
  const std::lock_guard lock(mutex_);
  --devices_left_;
  std::erase_if(parts_, [&](const Part& part) {
    const bool is_left =
        part.device == device && part.state != State::complete && part.state != State::late;
    if (is_left) returned_.push_back(part.range);
    return is_left;
  });
  changed_.notify_all();
}

std::optional<Shares::Range> Shares::take_back(std::int64_t width) {
  const std::lock_guard lock(mutex_);
  const std::int64_t least = front_ == 0 && devices_left_ > 0 ? reserved_ : front_;
  if (least >= back_) return std::nullopt;
  const Range range{std::max(least, back_ - width), back_};
  back_ = range.from;
  return range;
}

/// The last one: of the others the device may be through sooner.
std::optional<Shares::Range> Shares::claim() {
  if (!returned_.empty()) {
    const Range range = returned_.back();
    returned_.pop_back();
    return range;
  }
  for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
    if (part->state == State::under_way && part->has_left && part->has_left()) {
      part->state = State::late;
      return part->range;
    }
  }
  return std::nullopt;
}

std::optional<Shares::Range> Shares::wait_for_late() {
  std::unique_lock lock(mutex_);
  const double known = longest_seconds_ > 0 ? longest_seconds_ : base::now_seconds() - began_;
  const std::chrono::duration<double> patience(std::max(least_seconds, allowed * known));
  const auto is_settled = [&] {
    const bool is_waited_for = std::ranges::any_of(parts_, [](const Part& part) {
      return part.state != State::complete && part.state != State::late;
    });
    return devices_left_ == 0 || !returned_.empty() || (front_ >= back_ && !is_waited_for);
  };
  for (;;) {
    const bool was_in_time = changed_.wait_for(lock, patience, is_settled);
    if (front_ < back_) return Range{std::exchange(front_, back_), back_};
    const auto late = claim();
    if (late || was_in_time) return late;
  }
}

std::optional<Shares::Range> Shares::wait_for_rest() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return devices_left_ == 0; });
  if (front_ < back_) return Range{std::exchange(front_, back_), back_};
  return claim();
}

std::int64_t Shares::front_complete() const {
  const std::lock_guard lock(mutex_);
  std::int64_t complete = 0;
  for (const Part& part : parts_) {
    if (part.state != State::complete) break;
    complete = part.range.to;
  }
  return complete;
}

std::int64_t Shares::written() const {
  const std::lock_guard lock(mutex_);
  std::int64_t all = 0;
  for (const Part& part : parts_)
    if (part.state == State::complete) all += part.range.to - part.range.from;
  return all;
}

}  // namespace blockyard::blas
