// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "apps/blockyard/hubbard.h"
#include "apps/blockyard/output.h"

namespace blockyard::app {

using lattice::HubbardJob;
using lattice::HubbardReport;

namespace {

/// Errors from bins know nothing of rare samples that have not come yet.
void warn_of_tails(const HubbardJob& job, const lattice::G4Report& report) {
  constexpr double enough = 50;
  constexpr double share = 0.1;
  if (job.options.channels.empty() || report.effective_samples >= enough ||
      report.effective_samples >= share * static_cast<double>(report.samples))
    return;
  print_error(
      "warning: about {:.0f} of {} samples carry the variance of G4, so its error bars are too "
      "small: take more samples, a longer warm_up, or a larger [method] shift than {}\n",
      std::max(1.0, report.effective_samples), report.samples, job.shift);
}

/// Bins that are short against the autocorrelation time are not independent of each other.
void warn_of_bins(const HubbardJob& job, const HubbardReport& report) {
  constexpr double enough = 10;
  const double time = report.walk.autocorrelation_sweeps;
  const double sweeps =
      static_cast<double>(job.samples) / job.options.bins * static_cast<double>(job.sweeps);
  if (job.options.bins < 2 || time <= static_cast<double>(job.sweeps) || sweeps >= enough * time)
    return;
  print_error(
      "warning: a bin has {:.0f} sweeps, and their autocorrelation time is {:.1f}: error bars are "
      "too small; take fewer bins than {}, or more samples or sweeps\n",
      sweeps, time, job.options.bins);
}

}  // namespace

void warn_of_errors(const HubbardJob& job, const HubbardReport& report) {
  warn_of_tails(job, report.g4);
  warn_of_bins(job, report);
}

}  // namespace blockyard::app
