// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "blockyard/base/error.h"
#include "blockyard/fabric/mpi/agree.h"
#include "blockyard/lattice/checkpoint.h"
#include "blockyard/lattice/rank_walk.h"
#include "blockyard/lattice/result_parts.h"
#include "blockyard/lattice/walker.h"
#include "blockyard/tensor/blas.h"

namespace blockyard::lattice {

using base::Errc;
using base::Error;

namespace {

void check(const HubbardJob& job) {
  const auto refuse = [](const std::string& why) { throw Error(Errc::bad_input, why); };
  if (job.samples < job.walkers)
    refuse(fmt::format("{} samples are too few for {} walkers: each must give at least one",
                       job.samples, job.walkers));
  if (job.options.bins > job.samples)
    refuse(fmt::format("{} samples are too few for {} bins", job.samples, job.options.bins));
}

/// The most vertices that a spin will have: their mean is below U beta sites ((1/2 + d)^2 + 1/4),
/// and they spread like a Poisson distribution.
std::int64_t expected_vertices(const HubbardJob& job) {
  const Hubbard& model = job.model;
  const double of_site = std::pow(0.5 + job.shift, 2) + 0.3;
  const double mean = std::abs(model.u) * model.beta * model.sites() * model.layers * of_site;
  return static_cast<std::int64_t>(mean + 8 * std::sqrt(mean)) + 8;
}

/// Exact sums need bounds that all ranks have: those of configurations of a warm-up.
ExactBounds warm_bounds(const HubbardJob& job, const Problem& problem, const Cluster& cluster,
                        const BareTime& bare) {
  if (!job.options.is_exact) return {};
  Walker walker(job.model, bare, job.seed, 0, job.shift);
  Largest largest = largest_of(problem, cluster, walker.sample());
  constexpr std::int64_t most_sweeps = 50;
  for (std::int64_t sweep = 0; sweep < std::min(job.warm_up, most_sweeps); ++sweep) {
    walker.sweep();
    largest = larger_of(largest, largest_of(problem, cluster, walker.sample()));
  }
  const double wished = job.options.channels.empty() ? 0 : job.options.bound;
  return bounds_of(largest, problem.axes, job.samples, wished, job.options.bound_option);
}

/// A checkpoint for every rank: each thread reads the file by itself.
std::optional<CheckpointIn> open_saved(const HubbardJob& job) {
  std::optional<CheckpointIn> saved;
  if (!job.checkpoints.from.empty()) saved.emplace(job.checkpoints.from);
  return saved;
}

bool may_bin_by_ring(const HubbardJob& job) {
  return job.checkpoints.folder.empty() && job.checkpoints.from.empty();
}

}  // namespace

G4Plan plan_of(const HubbardJob& job, int ranks) {
  check(job);
  const Problem problem = problem_of(job.model, job.half, job.exchange, job.exchange_momenta);
  (void)problem.cluster();  // throws if a momentum is not in it
  G4Options options = job.options;
  options.may_bin_by_ring = may_bin_by_ring(job);
  return plan_g4(problem, options, ranks, expected_vertices(job));
}

HubbardReport simulate(const HubbardJob& job, const ring::Team& team, const Progress& progress,
                       std::optional<CheckpointFolder>& folder) {
  check(job);
  return simulate(job, problem_of(job.model, job.half, job.exchange, job.exchange_momenta),
                  BareTime(job.model), team, progress, folder);
}

HubbardReport simulate(const HubbardJob& job, const Problem& problem, const BareTime& bare,
                       const ring::Team& team, const Progress& progress,
                       std::optional<CheckpointFolder>& folder) {
  check(job);
  tensor::blas::limit_blas_threads(1);
  HubbardReport result;
  result.problem = problem;
  const Cluster cluster = problem.cluster();
  const std::string& saved = job.checkpoints.from;
  ExactBounds exact;
  fabric::agree(team.session, [&] {
    exact =
        saved.empty() ? warm_bounds(job, problem, cluster, bare) : CheckpointIn(saved).head().exact;
  });
  base::BufferPool pool(std::size_t{1} << 30);
  std::atomic<std::int64_t> done = 0;
  const int processes = team.session != nullptr ? team.session->processes() : 1;
  ring::run_team(team, pool, [&](fabric::Fabric& fabric) {
    ring::Member member(fabric);
    std::optional<store::FileLock> claim;
    if (fabric.rank() == 0 && job.options.has_parts) claim.emplace(claim_parts(job.output));
    G4Options options = common_options(fabric, job.options);
    options.may_bin_by_ring = may_bin_by_ring(job);
    const G4Plan plan = plan_g4(problem, options, fabric.size(), expected_vertices(job));
    if (fabric.rank() == 0 && !job.checkpoints.folder.empty() && !folder)
      folder.emplace(job.checkpoints.folder, saved);
    G4Run run(member, problem, cluster, options, plan, pool, job.samples, exact);
    const auto mine = open_saved(job);
    if (mine)
      run.load(mine->head().averages,
               [&](Extent unit, std::span<std::byte> into) { mine->unit(unit, into); });
    const std::string output = std::filesystem::absolute(job.output).string();
    const SavedHead head{job.file,           job.source,  output, job.checkpoints.options, exact,
                         plan.shape.units(), job.walkers, {},     job.checkpoints.outer};
    CheckpointFolder* keeps = fabric.rank() == 0 && folder ? &*folder : nullptr;
    const auto sampled = [&](std::int64_t samples) {
      done += samples;
      if (progress) progress(done, job.samples / processes);
    };
    RankWalk walk({job, bare, member, pool, run, sampled, head, keeps, mine ? &*mine : nullptr});
    walk.walk();
    run.finish();
    const WalkReport of_walk = walk.report();
    G4Report report = run.write(job.output);
    if (fabric.rank() % team.ranks_here != 0) return;  // one of each process
    result.g4 = std::move(report);
    result.walk = of_walk;
  });
  return result;
}

}  // namespace blockyard::lattice
