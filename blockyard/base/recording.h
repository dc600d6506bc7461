// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

/// What a rank notes of itself for the report and the time line of a run. All memory is taken
/// beforehand and bounded, so that noting allocates and locks nothing.
namespace blockyard::base {

/// A stretch of time on a lane of the time line. What `kind`, `program` and `what` mean is agreed
/// between who notes and who prints.
struct TraceEvent {
  double begin_seconds = 0;  ///< of now_seconds()
  float seconds = 0;
  std::int32_t what = 0;
  std::uint16_t program = 0;
  std::uint8_t kind = 0;
  std::uint8_t lane = 0;
};

/// The latest events, at most as many as it was made for. One thread.
class TraceRing {
 public:
  /// 0: notes nothing.
  explicit TraceRing(std::size_t capacity = 0) { events_.reserve(capacity); }

  [[nodiscard]] bool is_on() const noexcept { return events_.capacity() > 0; }
  void add(const TraceEvent& event) noexcept {
    if (events_.size() < events_.capacity()) {
      events_.push_back(event);
      return;
    }
    if (events_.empty()) return;
    events_[next_] = event;
    next_ = next_ + 1 == events_.size() ? 0 : next_ + 1;
    ++dropped_;
  }
  /// Older ones that had to make room.
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }
  /// What it holds, in the order of noting. Empties it.
  [[nodiscard]] std::vector<TraceEvent> take();

 private:
  std::vector<TraceEvent> events_;
  std::size_t next_ = 0;  ///< the oldest, once it is full
  std::uint64_t dropped_ = 0;
};

/// Bytes by purpose at one time.
struct MemorySample {
  static constexpr std::size_t purposes = 4;
  double at_seconds = 0;  ///< of now_seconds()
  std::array<std::int64_t, purposes> bytes{};
};

/// Memory over time, at most `capacity` samples: when they are full, every second one goes and the
/// time between two doubles. One thread.
class MemoryLine {
 public:
  /// 0: notes nothing.
  explicit MemoryLine(std::size_t capacity = 0) : capacity_(capacity) {
    samples_.reserve(capacity);
    if (capacity == 0) next_seconds_ = never;
  }
  /// Whether it is time for a sample.
  [[nodiscard]] bool is_due(double now) const noexcept { return now >= next_seconds_; }
  void add(const MemorySample& sample) noexcept;
  [[nodiscard]] const std::vector<MemorySample>& samples() const noexcept { return samples_; }

 private:
  static constexpr double never = 1e300;
  std::size_t capacity_;
  double interval_seconds_ = 1e-3;
  double next_seconds_ = 0;
  std::vector<MemorySample> samples_;
};

/// What one rank notes.
struct Recording {
  MemoryLine memory;
  TraceRing trace;
};

}  // namespace blockyard::base
