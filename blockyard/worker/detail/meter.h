// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "blockyard/worker/detail/arithmetic.h"
#include "blockyard/worker/detail/loops.h"
#include "blockyard/worker/detail/profile.h"
#include "blockyard/worker/detail/program_device.h"
#include "blockyard/worker/detail/setting.h"
#include "blockyard/worker/detail/supers.h"
#include "blockyard/worker/detail/transfers.h"

namespace blockyard::worker::detail {

/// What a program took: for its report, for time lines, and for observers while it runs. One
/// thread.
class Meter {
 public:
  /// What it reads the counts of.
  struct Parts {
    Blocks& blocks;
    const Arithmetic& arithmetic;
    const Supers& supers;
    const Loops& loops;
    const Transfers& transfers;
    const ProgramDevice& device;
  };
  /// `number`: of the program in the job.
  Meter(const Setting& setting, const Parts& parts, std::size_t number);

  /// The clock is set at the begin of a program and of each iteration.
  void begin_program();
  void restart() {
    if (profile_.is_on()) profile_.restart();
    show_live();
  }
  void end_program() {
    show_live();
    if (profile_.is_on()) profile_.end_program(begin_seconds_);
  }
  void begin_pardo() {
    if (profile_.is_on())
      profile_.begin_pardo(setting_.here.pc, parts_.loops.iterations(), waits());
  }
  void end_pardo(std::int32_t pardo) {
    if (profile_.is_on()) profile_.end_pardo(pardo, parts_.loops.iterations(), waits());
  }
  /// Whether the time of each instruction is noted.
  [[nodiscard]] bool times_instructions() const noexcept { return profile_.is_on(); }
  /// Runs `act`, and notes what the instruction under way took.
  template <class Act>
  void time(const Act& act) {
    const std::int32_t pc = setting_.here.pc;
    const Waits before = waits();
    act();
    const double now = profile_.note(pc, before, waits());
    if (profile_.memory().is_due(now)) note_memory(now);
  }
  void add_checkpoint(double seconds) noexcept { checkpoint_seconds_ += seconds; }
  void show_live() const noexcept;

  /// How many instructions have run, with one more.
  [[nodiscard]] std::uint64_t count_instruction() noexcept { return ++instructions_; }
  [[nodiscard]] Metrics metrics() const;

 private:
  void add_lines(Metrics& m) const;
  void add_profile(Metrics& m) const;
  [[nodiscard]] Waits waits() const noexcept;
  void note_memory(double now) noexcept;

  const Setting& setting_;
  Parts parts_;
  Profile profile_;
  block::FramePool::Uses frames_before_;
  std::uint64_t instructions_ = 0;
  double begin_seconds_ = 0;
  double checkpoint_seconds_ = 0;
};

}  // namespace blockyard::worker::detail
