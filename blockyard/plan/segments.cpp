// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <span>

#include "blockyard/base/error.h"
#include "blockyard/plan/plan.h"

namespace blockyard::plan {

namespace {

/// A trial need not be exact: only the order counts.
constexpr double trial_steps = 2e5;

using Sizes = std::array<Extent, 3>;  // ao, occupied, virtual; 0: that of the job

Extent largest(std::span<const Extent> extents, Extent first, Extent count) {
  const auto part =
      extents.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  return part.empty() ? 1 : *std::ranges::max_element(part);
}

Sizes sizes_of(const method::Chemistry& chemistry) {
  const std::span<const Extent> ao = chemistry.system.segments.extents;
  const method::Orbitals& orbitals = chemistry.alpha;
  const Extent virtuals = orbitals.frozen_segments + orbitals.occupied_segments;
  return {largest(ao, 0, std::ssize(ao)),
          largest(orbitals.segments, orbitals.frozen_segments, orbitals.occupied_segments),
          largest(orbitals.segments, virtuals, orbitals.virtual_segments)};
}

class Trials {
 public:
  Trials(const input::Spec& spec, const input::Places& places, const Machine& machine,
         const PlanOptions& options, const job::ProcessCount& run_in)
      : spec_(spec), places_(places), machine_(machine), options_(options), run_in_(run_in) {
    options_.walk.steps = std::min(options_.walk.steps, trial_steps);
  }

  /// The seconds for these sizes; nothing if they need too much memory.
  std::optional<double> seconds(const Sizes& sizes, bool is_given) {
    input::Spec spec = spec_;
    if (!is_given) {
      spec.segments.extents.clear();
      if (sizes[0] > 0) spec.segments.ao = sizes[0];
      if (sizes[1] > 0) spec.segments.occupied = sizes[1];
      if (sizes[2] > 0) spec.segments.virtual_ = sizes[2];
    }
    try {
      const job::Prepared prepared = job::prepare(spec, places_, run_in_);
      if (!prepared.job || !prepared.job->chemistry) return std::nullopt;
      const Sizes real = sizes_of(*prepared.job->chemistry);
      for (const SegmentTrial& known : found)
        if (Sizes{known.ao, known.occupied, known.virtual_} == real) return known.seconds;
      const JobPlan plan = make_plan(*prepared.job, machine_, options_);
      found.push_back(
          {real[0], real[1], real[2], plan.seconds, plan.process_bytes, plan.fits, is_given});
      return plan.seconds;
    } catch (const base::Error& error) {
      if (error.code() != base::Errc::no_memory) throw;
      if (!too_little) too_little = std::current_exception();
      return std::nullopt;
    }
  }

  std::vector<SegmentTrial> found;
  std::exception_ptr too_little;  ///< the first that needed too much memory, if any did

 private:
  const input::Spec& spec_;
  const input::Places& places_;
  const Machine& machine_;
  PlanOptions options_;
  const job::ProcessCount& run_in_;
};

}  // namespace

std::vector<SegmentTrial> try_segments(const input::Spec& spec, const input::Places& places,
                                       const Machine& machine, const PlanOptions& options,
                                       const job::ProcessCount& run_in) {
  if (!spec.molecule || !spec.method) return {};
  constexpr std::array<std::array<Extent, 4>, 3> wanted = {
      {{8, 12, 16, 24}, {8, 16, 24, 40}, {16, 24, 32, 48}}};
  Trials trials(spec, places, machine, options, run_in);
  Sizes best{};
  double least = std::numeric_limits<double>::infinity();
  if (const std::optional<double> given = trials.seconds({}, true)) {
    best = {trials.found[0].ao, trials.found[0].occupied, trials.found[0].virtual_};
    least = *given;
  } else if (!trials.too_little) {
    return {};
  }
  for (const std::size_t kind : {std::size_t{2}, std::size_t{1}, std::size_t{0}})
    for (const Extent size : wanted[kind]) {
      Sizes sizes = best;
      sizes[kind] = size;
      const std::optional<double> seconds = trials.seconds(sizes, false);
      if (!seconds || *seconds >= least) continue;
      least = *seconds;
      best = sizes;
    }
  if (trials.found.empty()) std::rethrow_exception(trials.too_little);
  std::ranges::stable_sort(trials.found, {}, &SegmentTrial::seconds);
  return std::move(trials.found);
}

SegmentTrial choose_segments(input::Spec& spec, const input::Places& places, const Machine& machine,
                             const PlanOptions& options, const job::ProcessCount& run_in) {
  const auto trials = try_segments(spec, places, machine, options, run_in);
  if (trials.empty())
    throw base::Error(base::Errc::bad_input,
                      "segments best: only the segments of a job with a molecule and a method are "
                      "chosen; give others by kind of index");
  const SegmentTrial& best = trials.front();
  if (best.is_given) return best;
  spec.segments.extents.clear();
  spec.segments.ao = best.ao;
  spec.segments.occupied = best.occupied;
  spec.segments.virtual_ = best.virtual_;
  return best;
}

std::string print_choice(const SegmentTrial& chosen) {
  return fmt::format("segments: ao {}, occupied {}, virtual {}{}\n", chosen.ao, chosen.occupied,
                     chosen.virtual_, chosen.is_given ? " (those of the job)" : "");
}

}  // namespace blockyard::plan
