// SPDX-License-Identifier: Apache-2.0
// Whole simulations, as short as they can be.
#include "blockyard/lattice/simulate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "blockyard/lattice/averages.h"
#include "blockyard/lattice/dca.h"
#include "blockyard/lattice/matrices.h"

namespace blockyard::lattice {
namespace {

std::string file(const std::string& name) {
  return (std::filesystem::path(::testing::TempDir()) / ("blockyard_simulate_" + name)).string();
}

/// Of an atom; no G4.
HubbardJob atom() {
  HubbardJob job;
  job.model.u = 2;
  job.half = 2;
  job.warm_up = 4;
  job.options.channels.clear();
  job.options.normalise = true;
  job.options.memory_bytes = std::int64_t{1} << 30;
  job.output = file("result.h5");
  return job;
}

void expect_errors(const HubbardJob& job, int ranks, bool are_zero) {
  ring::Team team;
  team.ranks_here = ranks;
  std::optional<CheckpointFolder> none;
  const G4Report report = simulate(job, team, {}, none).g4;
  ASSERT_FALSE(report.green.error.empty());
  for (const Complex& error : report.green.error) {
    EXPECT_TRUE(std::isfinite(error.imag()));
    EXPECT_EQ(error.imag() == 0, are_zero);
  }
}

TEST(Simulate, no_bin_is_empty_however_few_samples_a_walker_gives) {
  HubbardJob job = atom();
  job.options.bins = 8;
  job.samples = job.walkers = 8;
  expect_errors(job, 1, false);
}

TEST(Simulate, rings_without_a_walker_are_no_bins) {
  HubbardJob job = atom();
  job.samples = 8;
  job.walkers = 1;
  expect_errors(job, 4, true);
  job.walkers = 2;
  expect_errors(job, 4, false);
}

TEST(Simulate, more_than_16_rings_share_bins) {
  HubbardJob job = atom();
  job.options.channels = {Channel::pp_up_down};
  job.options.leaves_bins_out = true;
  job.samples = job.walkers = 20;
  ring::Team team;
  team.ranks_here = 20;
  std::optional<CheckpointFolder> none;
  EXPECT_EQ(simulate(job, team, {}, none).g4.green.without.size(), 16U);
}

TEST(Simulate, an_estimate_skips_empty_bins) {
  const Estimate two = estimate(std::vector<Complex>{2, 6}, std::vector<Complex>{1, 2});
  const Estimate three = estimate(std::vector<Complex>{2, 0, 6}, std::vector<Complex>{1, 0, 2});
  EXPECT_NEAR(two.error.real(), std::sqrt(0.5 * (1 + 4) / 9), 1e-14);
  EXPECT_EQ(three.value, two.value);
  EXPECT_EQ(three.error, two.error);
  EXPECT_EQ(estimate(std::vector<Complex>{2, 0}, std::vector<Complex>{1, 0}).error, Complex(0));
}

TEST(Averages, a_weight_counts_once_in_what_carries_the_variance) {
  Problem problem;
  problem.axes = {1, 1, 1, 1, 2.0};
  problem.sites = problem.momenta = problem.exchange_momenta = {{0, 0}};
  problem.g0.assign(4, Complex(0.5));
  const Cluster cluster = problem.cluster();
  Averages averages(problem, cluster, 1, {});
  const std::vector<double> tiles(TileSet::diagonal(problem.axes).values(), 1.0);
  for (const double f : {1.0, 0.5}) averages.add(tiles, f, 0);
  EXPECT_NEAR(averages.effective_samples(), 1.25 * 1.25 / 1.0625, 1e-12);
}

TEST(Averages, errors_of_two_spins_that_cancel_leave_none_of_their_mean) {
  Problem problem;
  problem.axes = {1, 1, 1, 1, 2.0};
  problem.sites = problem.momenta = problem.exchange_momenta = {{0, 0}};
  problem.g0.assign(4, Complex(0.5));
  const Cluster cluster = problem.cluster();
  const TileSet set = TileSet::diagonal(problem.axes);
  Averages averages(problem, cluster, 2, {});
  for (const int bin : {0, 1}) {
    std::vector<double> tiles(set.values(), 0.0);
    for (const int s : {0, 1})
      for (std::size_t pair = 0; pair < set.pairs().size(); ++pair)
        tiles[set.at(pair, s, 0, 0)] = s == bin ? 4 : 2;
    averages.add(tiles, 1.0, bin);
  }
  const GreenEstimate green = green_of(averages, 1);
  EXPECT_EQ(green.mean, std::vector<Complex>(2, Complex(1.5)));
  EXPECT_GT(green.error[0].real(), 0.1);
  EXPECT_NEAR(green.mean_error[0].real(), 0, 1e-14);
}

TEST(Averages, the_error_of_the_sign_is_that_of_bins) {
  Problem problem;
  problem.axes = {1, 1, 1, 1, 2.0};
  problem.sites = problem.momenta = problem.exchange_momenta = {{0, 0}};
  problem.g0.assign(4, Complex(0.5));
  const Cluster cluster = problem.cluster();
  const std::vector<double> tiles(TileSet::diagonal(problem.axes).values(), 1.0);
  Averages one(problem, cluster, 1, {});
  Averages two(problem, cluster, 2, {});
  constexpr int each = 50;  // samples that are all alike
  for (int n = 0; n < 2 * each; ++n) {
    one.add(tiles, n < each ? 1.0 : 0.2, 0);
    two.add(tiles, n < each ? 1.0 : -0.2, n / each);
  }
  EXPECT_FALSE(one.has_bins());
  EXPECT_TRUE(two.has_bins());
  EXPECT_NEAR(two.sign_error(), std::sqrt(0.5 * (std::pow(1 / 3.0, 2) + std::pow(5 / 3.0, 2))),
              1e-12);
}

TEST(Simulate, without_channels_a_rank_has_no_tiles_and_nothing_travels) {
  HubbardJob job = atom();
  job.options.travel = Travel::g;
  const G4Plan plan = plan_of(job, 2);
  EXPECT_EQ(plan.item_bytes, 0);
  EXPECT_EQ(plan.sent_bytes, 0);
  const ring::Range units{0, plan.shape.units()};
  EXPECT_TRUE(TileSet(plan.shape.axes, plan.shape.channels, units).pairs().empty());
  EXPECT_EQ(cut_batch(plan.shape, plan.shape.units(), 8, false).tiles_bytes, 0);
}

TEST(Simulate, a_plan_counts_the_matrices_of_rank_0) {
  HubbardJob job = atom();
  job.options.channels = {Channel::pp_up_down};
  job.options.bins = 3;
  const std::int64_t without = plan_of(job, 1).rank_bytes;
  job.options.has_matrices = true;
  const std::int64_t order = 2 * job.half;
  EXPECT_EQ(plan_of(job, 1).rank_bytes - without,
            3 * order * order * static_cast<std::int64_t>(sizeof(Complex)));
}

TEST(Simulate, a_plan_counts_the_bins_that_rings_are) {
  HubbardJob job = atom();
  job.options.channels = {Channel::pp_up_down};
  job.options.has_matrices = true;
  const std::int64_t order = 2 * job.half;
  const auto bin_bytes = order * order * static_cast<std::int64_t>(sizeof(Complex));
  const std::int64_t one = plan_of(job, 1).rank_bytes - bin_bytes;
  const G4Plan plan = plan_of(job, 20);
  const auto unit_bytes = static_cast<std::int64_t>(plan.shape.unit_values() * sizeof(double));
  EXPECT_EQ(plan.rank_bytes - one, 16 * (bin_bytes + unit_bytes));
  job.checkpoints.folder = file("no_bins");
  EXPECT_EQ(plan_of(job, 20).rank_bytes - one, bin_bytes);
}

TEST(Dca, an_iteration_keeps_the_checkpoints_of_the_one_before) {
  HubbardJob job = atom();
  job.samples = 8;
  job.walkers = 1;
  job.dca.emplace();
  job.dca->directions = 1;
  job.dca->points = 4;
  job.dca->iterations = 2;
  job.dca->tolerance = 0;
  job.dca->frequencies = 4;
  job.dca->output = file("self_energy.h5");
  job.checkpoints.folder = file("checkpoint");
  job.checkpoints.seconds = 0;
  int steps = 0;
  std::optional<CheckpointFolder> checkpoints;
  const auto look = [&](const DcaStep&) {
    ++steps;
    EXPECT_NE(newest_checkpoint(job.checkpoints.folder), "") << "after step " << steps;
  };
  const DcaReport report = simulate_dca(job, {}, {}, look, checkpoints);
  EXPECT_EQ(steps, 2);
  ASSERT_TRUE(checkpoints.has_value());
  checkpoints->remove_all();
  checkpoints.reset();  // with the folder
  EXPECT_FALSE(std::filesystem::exists(job.checkpoints.folder));
}

}  // namespace
}  // namespace blockyard::lattice
