// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/recording.h"

#include <algorithm>
#include <utility>

namespace blockyard::base {

namespace {

double end_of(const TraceEvent& event) noexcept {
  return event.begin_seconds + static_cast<double>(event.seconds);
}

}  // namespace

TraceLine::TraceLine(std::size_t capacity)
    : capacity_(capacity == 0 ? 0 : std::max<std::size_t>(capacity, 64)) {
  events_.reserve(capacity_);
}

/// Puts an event shorter than the resolution to the last one of its lane. False if that would be
/// too long then.
bool TraceLine::join(const TraceEvent& event) noexcept {
  const std::size_t place = last_[lane_of(event)];
  if (place == 0) return false;
  TraceEvent& last = events_[place - 1];
  const double begin = std::min(last.begin_seconds, event.begin_seconds);
  const double end = std::max(end_of(last), end_of(event));
  if (end - begin >= resolution_seconds_) return false;
  last.begin_seconds = begin;
  last.seconds = static_cast<float>(end - begin);
  last.joined += event.joined + 1;
  return true;
}

/// Joins neighbours until `most` are left, or one a lane. It ends: no lane holds more than one
/// event that is shorter than the resolution once this is longer than all the time.
void TraceLine::thin(std::size_t most) noexcept {
  double begin = events_.front().begin_seconds, end = begin;
  for (const TraceEvent& event : events_) {
    begin = std::min(begin, event.begin_seconds);
    end = std::max(end, end_of(event));
  }
  const double least = (end - begin) / static_cast<double>(capacity_) + 1e-9;
  while (events_.size() > std::max(most, lanes)) {
    resolution_seconds_ = std::max(2 * resolution_seconds_, least);
    last_.fill(0);
    const std::size_t count = events_.size();
    std::size_t kept = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const TraceEvent event = events_[k];
      if (joins_last(event)) continue;
      events_[kept] = event;
      last_[lane_of(event)] = ++kept;
    }
    events_.resize(kept);
  }
}

std::vector<TraceEvent> TraceLine::take(std::size_t most) {
  if (events_.size() > most) thin(most);
  last_.fill(0);
  return std::exchange(events_, {});
}

void MemoryLine::add(const MemorySample& sample) noexcept {
  if (capacity_ == 0) return;
  if (samples_.size() == capacity_) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < samples_.size(); k += 2) samples_[kept++] = samples_[k];
    samples_.resize(kept);
    interval_seconds_ *= 2;
  }
  samples_.push_back(sample);
  next_seconds_ = sample.at_seconds + interval_seconds_;
}

}  // namespace blockyard::base
