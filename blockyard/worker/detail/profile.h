// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "blockyard/base/clock.h"
#include "blockyard/base/recording.h"
#include "blockyard/worker/live.h"

namespace blockyard::worker::detail {

/// Seconds that a worker has waited so far, by what for.
struct Waits {
  double block_seconds = 0;    ///< for blocks
  double disk_seconds = 0;     ///< of these, while a server read or wrote its disk
  double barrier_seconds = 0;  ///< for other workers
  double put_seconds = 0;      ///< for acknowledgements of puts
  [[nodiscard]] double sum() const noexcept {
    return block_seconds + barrier_seconds + put_seconds;
  }
};

/// Time by instruction. One thread; noting allocates nothing.
class Profile {
 public:
  struct At {
    std::uint64_t times = 0;
    double seconds = 0;  ///< waits included
    Waits waits;
    base::UsualTime usual;
  };
  struct Pardo {
    std::uint64_t entered = 0;
    std::uint64_t iterations = 0;
    double seconds = 0;  ///< waits included
    double wait_seconds = 0;
  };
  /// Without `recording` no events are recorded.
  Profile(base::Recording* recording, std::size_t instructions, std::size_t pardos,
          std::uint16_t program)
      : recording_(recording),
        program_(program),
        at_(recording != nullptr ? instructions : 0),
        pardos_(recording != nullptr ? pardos : 0) {}

  [[nodiscard]] bool is_on() const noexcept { return recording_ != nullptr; }
  [[nodiscard]] const std::vector<At>& at() const noexcept { return at_; }
  [[nodiscard]] const std::vector<Pardo>& pardos() const noexcept { return pardos_; }

  /// The next instruction is timed from now on.
  void restart() noexcept { last_seconds_ = base::now_seconds(); }
  /// An instruction is done, with the waits before and after it. Now. One look at the clock each,
  /// for short ones every eighth time, and the others count as long as usual. It began when the one
  /// before it ended, so that loops count for what they repeat.
  double note(std::int32_t pc, const Waits& before, const Waits& after) noexcept {
    At& at = at_[static_cast<std::size_t>(pc)];
    const bool has_waited = after.sum() != before.sum();
    const double begin = last_seconds_;
    double now = begin + at.usual.seconds();
    if (has_waited || at.usual.is_due()) {
      now = std::max(begin, base::now_seconds());
      at.usual.add(now - begin);
    }
    last_seconds_ = now;
    ++at.times;
    at.seconds += now - begin;
    if (has_waited) {
      at.waits.block_seconds += after.block_seconds - before.block_seconds;
      at.waits.disk_seconds += after.disk_seconds - before.disk_seconds;
      at.waits.barrier_seconds += after.barrier_seconds - before.barrier_seconds;
      at.waits.put_seconds += after.put_seconds - before.put_seconds;
    }
    if (recording_->trace.is_on()) trace(pc, begin, now, before, after);
    return now;
  }
  void begin_pardo(std::int32_t pc, std::uint64_t iterations, const Waits& waits) noexcept {
    pardo_pc_ = pc;
    restart();
    pardo_begin_ = last_seconds_;
    pardo_iterations_ = iterations;
    pardo_waits_ = waits.sum();
  }
  void end_pardo(std::int32_t pardo, std::uint64_t iterations, const Waits& waits) noexcept {
    restart();
    const double seconds = last_seconds_ - pardo_begin_;
    Pardo& entry = pardos_[static_cast<std::size_t>(pardo)];
    ++entry.entered;
    entry.iterations += iterations - pardo_iterations_;
    entry.seconds += seconds;
    entry.wait_seconds += waits.sum() - pardo_waits_;
    recording_->trace.add(event(EventKind::pardo, pardo_pc_, pardo_begin_, seconds));
  }
  void end_program(double begin) noexcept {
    recording_->trace.add(event(EventKind::program, 0, begin, base::now_seconds() - begin));
  }
  [[nodiscard]] base::MemoryLine& memory() noexcept { return recording_->memory; }

 private:
  [[nodiscard]] base::TraceEvent event(EventKind kind, std::int32_t pc, double begin,
                                       double seconds) const noexcept {
    return {begin, static_cast<float>(seconds), pc, program_, static_cast<std::uint8_t>(kind), 0};
  }
  void trace(std::int32_t pc, double begin, double now, const Waits& before,
             const Waits& after) noexcept {
    recording_->trace.add(event(EventKind::instruction, pc, begin, now - begin));
    const auto wait = [&](EventKind kind, double seconds) {
      if (seconds > 0) recording_->trace.add(event(kind, pc, begin, seconds));
    };
    wait(EventKind::block_wait, after.block_seconds - before.block_seconds);
    wait(EventKind::barrier_wait, after.barrier_seconds - before.barrier_seconds);
    wait(EventKind::put_wait, after.put_seconds - before.put_seconds);
  }

  base::Recording* recording_;
  std::uint16_t program_;
  std::vector<At> at_;         ///< by pc
  std::vector<Pardo> pardos_;  ///< by entry of Program::pardos
  double last_seconds_ = 0;
  std::int32_t pardo_pc_ = 0;
  double pardo_begin_ = 0;  ///< of the pardo that is open: there is one at most
  std::uint64_t pardo_iterations_ = 0;
  double pardo_waits_ = 0;
};

}  // namespace blockyard::worker::detail
