// SPDX-License-Identifier: Apache-2.0
#include "apps/blockyard/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "apps/blockyard/output.h"
#include "blockyard/base/clock.h"

namespace blockyard::app {

namespace {

constexpr double silent_seconds = 2;
constexpr std::size_t bar_width = 24;

}  // namespace

Progress::Progress(const job::Job& job, bool quiet)
    : is_wanted_(!quiet && isatty(STDERR_FILENO) == 1), step_began_(base::now_seconds()) {
  for (const job::Step& step : job.steps) names_.push_back(step.name);
}

void Progress::begin_step(std::size_t step) {
  const std::lock_guard lock(mutex_);
  step_ = step;
  step_began_ = base::now_seconds();
}

void Progress::draw() {
  if (!is_wanted_) return;
  const std::lock_guard lock(mutex_);
  const double seconds = base::now_seconds() - step_began_;
  if (seconds < silent_seconds) return;
  const std::size_t filled = bar_width * step_ / names_.size();
  print_error("\r\033[K[{:#<{}}{:.<{}}] {} ({} of {}) {:.0f} s ", "", filled, "",
              bar_width - filled, names_[step_], step_ + 1, names_.size(), seconds);
  std::fflush(stderr);
  is_drawn_ = true;
}

void Progress::clear() {
  if (!is_wanted_) return;
  const std::lock_guard lock(mutex_);
  if (is_drawn_) print_error("\r\033[K");
  is_drawn_ = false;
}

}  // namespace blockyard::app
