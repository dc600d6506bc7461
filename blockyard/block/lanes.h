// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "blockyard/base/recording.h"
#include "blockyard/device/device.h"

namespace blockyard::block {

/// The streams of a device that one worker uses: one for copies to it, one for copies from it, two
/// for kernels; or fewer, to measure their benefit. Points in a lane are numbered from 1; a
/// number below another is done before it. One thread.
class Lanes {
 public:
  enum Lane : std::size_t { in, out, first_kernel, second_kernel };
  static constexpr std::size_t count = 4;
  /// A point in each lane; 0 is before all work.
  using Points = std::array<std::uint64_t, count>;

  /// trace  where the work of each lane is noted, on lane 1 + its number: from when it was the
  ///        first of its lane until the host saw that it was done; null: nowhere
  /// streams  1 to count: with 3 kernels share one, with 2 copies share another, with 1 all do
  explicit Lanes(device::Device& device, base::TraceLine* trace = nullptr, int streams = count);

  [[nodiscard]] device::Stream& stream(Lane lane) noexcept { return streams_[stream_of_[lane]]; }
  /// The two lanes for kernels in turn.
  [[nodiscard]] Lane next_kernel() noexcept;

  /// Work enqueued on `lane` from now on starts after these points.
  void wait(Lane lane, const Points& points);
  /// The point after all work enqueued on the lane. Waits for the device if that lags by `depth`
  /// points. `what` was enqueued since the last point, for the trace.
  std::uint64_t mark(Lane lane, std::int32_t what = 0);
  static constexpr std::size_t depth = 64;
  /// A copy in the trace: its size, rounded up.
  [[nodiscard]] static std::int32_t kilobytes(std::size_t bytes) noexcept {
    return static_cast<std::int32_t>((bytes + 1023) / 1024);
  }
  /// Without waiting. Throws Error{device} if work before the point failed, as finish does.
  [[nodiscard]] bool is_done(Lane lane, std::uint64_t point);
  /// Returns when it is done.
  void finish(Lane lane, std::uint64_t point);
  /// Whether a point in each lane is done.
  [[nodiscard]] bool are_done(const Points& points);
  void finish(const Points& points);
  /// Opens the stream anew, after a failure: a stream that failed runs nothing more. Points of work
  /// that failed stay failed.
  void reopen(Lane lane);
  /// Records the work done by now.
  void note_done(Lane lane) noexcept;

  /// For the trace.
  void note_program(std::uint16_t program) noexcept { program_ = program; }

 private:
  struct Work {
    double enqueued_seconds = 0;
    std::int32_t what = 0;
    std::uint16_t program = 0;
  };
  struct Line {
    std::vector<device::Event> events;  ///< of the last `depth` points
    std::uint64_t last = 0;
    std::uint64_t done = 0;   ///< known to be
    std::vector<Work> works;  ///< before the last `depth` points; empty without a trace
    std::uint64_t noted = 0;  ///< the last point whose work was noted
    double noted_seconds = 0;
  };
  [[nodiscard]] device::Event& event(Lane lane, std::uint64_t point) noexcept {
    return lanes_[lane].events[point % depth];
  }

  device::Device& device_;
  base::TraceLine* trace_;
  std::array<std::size_t, count> stream_of_;  ///< by lane
  std::vector<device::Stream> streams_;
  std::vector<Line> lanes_;
  bool is_second_ = false;
  std::uint16_t program_ = 0;
};

}  // namespace blockyard::block
