// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "blockyard/base/error.h"
#include "blockyard/lattice/walker.h"
#include "blockyard/tensor/blas.h"

namespace blockyard::lattice {

using base::Errc;
using base::Error;

namespace {

constexpr std::size_t fields_of_a_walker = 5;

void check(const HubbardJob& job) {
  const auto refuse = [](const std::string& why) { throw Error(Errc::bad_input, why); };
  if (job.samples < job.walkers)
    refuse(fmt::format("{} samples are too few for {} walkers: each gives at least one",
                       job.samples, job.walkers));
  if (job.options.bins > job.samples)
    refuse(fmt::format("{} samples are too few for {} bins", job.samples, job.options.bins));
}

std::int64_t samples_of(const HubbardJob& job, std::int64_t walker) {
  return job.samples / job.walkers + (walker < job.samples % job.walkers ? 1 : 0);
}

/// The most vertices that a spin will have: their mean is below U beta sites (1/2 + d)^2 and some,
/// and they spread like a Poisson distribution.
std::int64_t expected_vertices(const Hubbard& model) {
  const double mean = std::abs(model.u) * model.beta * model.sites() * model.layers * 0.55;
  return static_cast<std::int64_t>(mean + 8 * std::sqrt(mean)) + 8;
}

/// Mean of the order, its spread, and its integrated autocorrelation time by binning.
class OrderSeries {
 public:
  void add(double order) { series_.push_back(order); }
  [[nodiscard]] double mean() const { return mean_of(series_); }
  /// In samples; 1/2 where they are independent.
  [[nodiscard]] double autocorrelation() const {
    const auto bin = static_cast<std::size_t>(std::sqrt(static_cast<double>(series_.size())));
    if (bin < 2) return 0.5;
    std::vector<double> bins;
    for (std::size_t at = 0; at + bin <= series_.size(); at += bin)
      bins.push_back(mean_of(std::span(series_).subspan(at, bin)));
    const double of_one = variance_of(series_);
    return of_one > 0 ? 0.5 * static_cast<double>(bin) * variance_of(bins) / of_one : 0.5;
  }

 private:
  static double mean_of(std::span<const double> values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return values.empty() ? 0 : sum / static_cast<double>(values.size());
  }
  static double variance_of(std::span<const double> values) {
    const double mean = mean_of(values);
    double sum = 0;
    for (const double value : values) sum += (value - mean) * (value - mean);
    return values.size() < 2 ? 0 : sum / static_cast<double>(values.size() - 1);
  }
  std::vector<double> series_;
};

/// The walkers of one rank: those whose number is its own modulo the ranks.
class RankWalk {
 public:
  RankWalk(const HubbardJob& job, const BareTime& bare, fabric::Fabric& fabric, G4Run& run,
           std::function<void()> sampled)
      : job_(job), bare_(bare), fabric_(fabric), run_(run), sampled_(std::move(sampled)) {}

  void walk() {
    told_.assign(fields_of_a_walker * static_cast<std::size_t>(job_.walkers), 0.0);
    for (std::int64_t number = fabric_.rank(); number < job_.walkers; number += fabric_.size())
      walk_one(number);
  }

  /// Collective.
  [[nodiscard]] WalkReport report() {
    fabric_.reduce(told_);
    WalkReport report;
    double squares = 0;
    const auto walkers = static_cast<double>(job_.walkers);
    for (std::size_t at = 0; at < told_.size(); at += fields_of_a_walker) {
      report.order.value += told_[at] / walkers;
      squares += told_[at] * told_[at] / walkers;
      report.autocorrelation_sweeps += told_[at + 1] / walkers;
      report.worst_residue = std::max(report.worst_residue, told_[at + 2]);
    }
    const double variance = squares - report.order.value * report.order.value;
    report.order.error = job_.walkers > 1 ? std::sqrt(std::max(0.0, variance) / (walkers - 1)) : 0;
    return report;
  }

 private:
  void walk_one(std::int64_t number) {
    constexpr std::int64_t serve_every = 16;
    Walker walker(job_.model, bare_, job_.seed, static_cast<std::uint64_t>(number));
    for (std::int64_t sweep = 0; sweep < job_.warm_up; ++sweep) {
      walker.sweep();
      if (sweep % serve_every == 0) run_.serve();
    }
    OrderSeries orders;
    const std::int64_t samples = samples_of(job_, number);
    for (std::int64_t k = 0; k < samples; ++k) {
      for (std::int64_t sweep = 0; sweep < job_.sweeps; ++sweep) walker.sweep();
      orders.add(walker.order());
      // Neighbours in time share a bin.
      run_.give(walker.sample(), k * job_.options.bins / samples);
      sampled_();
    }
    double* mine = told_.data() + fields_of_a_walker * static_cast<std::size_t>(number);
    mine[0] = orders.mean();
    mine[1] = orders.autocorrelation() * static_cast<double>(job_.sweeps);
    mine[2] = walker.worst_residue();
  }

  const HubbardJob& job_;
  const BareTime& bare_;
  fabric::Fabric& fabric_;
  G4Run& run_;
  std::function<void()> sampled_;
  std::vector<double> told_;
};

/// Exact sums need a bound that all ranks have: that of a configuration after a warm-up.
double warm_bound(const HubbardJob& job, const Problem& problem, const Cluster& cluster,
                  const BareTime& bare) {
  if (!job.options.is_exact) return 0;
  if (job.options.bound > 0) return job.options.bound;
  Walker walker(job.model, bare, job.seed, 0);
  double bound = 0;
  constexpr std::int64_t most_sweeps = 50;
  for (std::int64_t sweep = 0; sweep < std::min(job.warm_up, most_sweeps); ++sweep) {
    walker.sweep();
    bound = std::max(bound, bound_of(problem, cluster, walker.sample()));
  }
  return std::max(bound, bound_of(problem, cluster, walker.sample()));
}

}  // namespace

HubbardReport simulate(const HubbardJob& job, const ring::Team& team, const Progress& progress) {
  check(job);
  tensor::blas::limit_blas_threads(1);
  HubbardReport result;
  result.problem = problem_of(job.model, job.half, job.exchange, job.exchange_momenta);
  const Problem& problem = result.problem;
  const Cluster cluster = problem.cluster();
  const BareTime bare(job.model);
  const double bound = warm_bound(job, problem, cluster, bare);
  const G4Plan plan = plan_g4(problem, job.options, team.ranks(), expected_vertices(job.model));
  base::BufferPool pool(std::size_t{1} << 30);
  std::atomic<std::int64_t> done = 0;
  const int processes = team.session != nullptr ? team.session->processes() : 1;
  ring::run_team(team, pool, [&](fabric::Fabric& fabric) {
    ring::Member member(fabric);
    G4Run run(member, problem, cluster, job.options, plan, pool, job.samples, bound);
    RankWalk walk(job, bare, fabric, run, [&] {
      ++done;
      if (progress) progress(done, job.samples / processes);
    });
    walk.walk();
    run.finish();
    const WalkReport of_walk = walk.report();
    G4Report report = run.write(job.output);
    if (fabric.rank() != 0) return;
    result.g4 = std::move(report);
    result.walk = of_walk;
  });
  return result;
}

}  // namespace blockyard::lattice
