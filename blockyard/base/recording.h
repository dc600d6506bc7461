// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

/// The events a rank records for the report and the time line of a run. All memory is allocated
/// beforehand and bounded, so that recording neither allocates nor locks.
namespace blockyard::base {

/// A stretch of time on a lane of the time line. The meaning of `kind`, `program` and `what` is
/// agreed between recorder and reader.
struct TraceEvent {
  double begin_seconds = 0;  ///< of now_seconds()
  float seconds = 0;
  std::int32_t what = 0;
  std::uint16_t program = 0;
  std::uint8_t kind = 0;
  std::uint8_t lane = 0;
  std::uint32_t joined = 0;  ///< further events merged into this one
};

/// What a rank did from start to end, in at most `capacity` events. When they are full, the
/// resolution becomes coarser: events shorter than it become one with their neighbours on the lane,
/// as long as that one is not longer. One thread.
class TraceLine {
 public:
  /// 0: records nothing. Others are made 64 at the least.
  explicit TraceLine(std::size_t capacity = 0);

  [[nodiscard]] bool is_on() const noexcept { return capacity_ > 0; }
  void add(const TraceEvent& event) noexcept {
    if (capacity_ == 0 || joins_last(event)) return;
    if (events_.size() == capacity_) thin(capacity_ / 4 * 3);
    append(event);
  }
  /// What it holds, in the order of noting, made coarser until there are at most `most`. Empties
  /// it.
  [[nodiscard]] std::vector<TraceEvent> take(std::size_t most = SIZE_MAX);

 private:
  static constexpr std::size_t lanes = 16;  ///< those above share the last one

  [[nodiscard]] static std::size_t lane_of(const TraceEvent& event) noexcept {
    return event.lane < lanes ? event.lane : lanes - 1;
  }
  void append(const TraceEvent& event) noexcept {
    events_.push_back(event);
    last_[lane_of(event)] = events_.size();
  }
  [[nodiscard]] bool joins_last(const TraceEvent& event) noexcept {
    if (event.seconds >= resolution_seconds_) return false;
    return join(event);
  }
  [[nodiscard]] bool join(const TraceEvent& event) noexcept;
  void thin(std::size_t most) noexcept;

  std::size_t capacity_ = 0;
  double resolution_seconds_ = 0;
  std::vector<TraceEvent> events_;
  std::array<std::size_t, lanes> last_{};  ///< of each lane in events_, plus 1; 0: there is none
};

/// The duration of a very frequent operation. One of less than a microsecond is timed only
/// every eighth time, since reading the clock takes a good part of that.
class UsualTime {
 public:
  /// Whether it is to be timed now. The first hundred times it is.
  [[nodiscard]] bool is_due() noexcept {
    if (seconds_ < short_seconds && ++passed_ < share) return false;
    passed_ = 0;
    return true;
  }
  void add(double seconds) noexcept { seconds_ += (seconds - seconds_) / share; }
  /// A mean in which the last ones count most.
  [[nodiscard]] double seconds() const noexcept { return seconds_; }

 private:
  static constexpr std::uint32_t share = 8;
  static constexpr double short_seconds = 1e-6;
  double seconds_ = 1;  ///< not known yet: long
  std::uint32_t passed_ = 0;
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
  /// 0: records nothing.
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

/// The recordings of one rank.
struct Recording {
  MemoryLine memory;
  TraceLine trace;
};

}  // namespace blockyard::base
