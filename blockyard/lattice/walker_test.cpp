// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/walker.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "blockyard/lattice/averages.h"

namespace blockyard::lattice {
namespace {

TEST(GrowingInverse, stays_an_inverse_while_rows_come_and_go) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> draw(-1, 1);
  std::vector<std::vector<double>> d;  // by row
  GrowingInverse inverse;
  for (int step = 0; step < 300; ++step) {
    const auto n = d.size();
    if (n > 0 && (n > 20 || random() % 3 == 0)) {
      const std::size_t k = random() % n;
      if (std::abs(inverse.ratio_without(static_cast<int>(k))) < 0.05) continue;
      const double expected = inverse.squares_without(static_cast<int>(k));
      inverse.shrink(static_cast<int>(k));
      EXPECT_NEAR(inverse.squares(), expected, 1e-9 * (1 + expected));
      std::swap(d[k], d.back());
      d.pop_back();
      for (auto& row : d) {
        std::swap(row[k], row.back());
        row.pop_back();
      }
    } else {
      std::vector<double> row(n), column(n);
      for (double& value : row) value = draw(random);
      for (double& value : column) value = draw(random);
      const double corner = 3 + draw(random);
      if (std::abs(inverse.ratio(column, row, corner)) < 0.05) continue;
      const double expected = inverse.squares_grown();
      inverse.grow();
      EXPECT_NEAR(inverse.squares(), expected, 1e-9 * (1 + expected));
      for (std::size_t i = 0; i < n; ++i) d[i].push_back(column[i]);
      row.push_back(corner);
      d.push_back(row);
    }
    ASSERT_EQ(static_cast<std::size_t>(inverse.size()), d.size());
  }
  std::vector<double> flat;
  for (std::size_t j = 0; j < d.size(); ++j)
    for (const auto& row : d) flat.push_back(row[j]);
  GrowingInverse exact;
  exact.assign(flat, static_cast<int>(d.size()));
  for (int j = 0; j < exact.size(); ++j)
    for (int i = 0; i < exact.size(); ++i) EXPECT_NEAR(inverse.at(i, j), exact.at(i, j), 1e-8);
}

TEST(BareTime, is_the_sum_over_levels) {
  Hubbard model;
  model.lengths = {3, 1};
  model.beta = 2.5;
  model.mu = 0.3;
  const BareTime bare(model);
  for (const double tau : {0.0, 0.01, 1.3, 2.4999, -0.7, -2.49}) {
    for (int r = 0; r < 3; ++r) {
      double expected = 0;
      for (int k = 0; k < 3; ++k) {
        const double xi = -2 * std::cos(2 * std::numbers::pi * k / 3) - model.mu;
        const double f = 1 / (std::exp(model.beta * xi) + 1);
        const double value = tau > 0 ? -(1 - f) * std::exp(-xi * tau) : f * std::exp(-xi * tau);
        expected += std::cos(2 * std::numbers::pi * k * r / 3) * value / 3;
      }
      EXPECT_NEAR(bare.at(0, 0, {r, 0}, tau), expected, 1e-11) << tau << " " << r;
    }
  }
}

TEST(BareTime, is_the_sum_over_momenta_and_both_combinations_of_layers) {
  Hubbard model;
  model.lengths = {4, 3};
  model.layers = 2;
  model.t_prime = 0.2;
  model.t_perp = 0.7;
  model.beta = 1.5;
  const BareTime bare(model);
  constexpr double tau = 0.4;
  for (const Vector2& r : all_momenta(model.lengths))
    for (const int band : {0, 1}) {
      double expected = 0;
      for (const Vector2& k : all_momenta(model.lengths))
        for (const int level : {0, 1}) {
          const double xi = model.energy(level, model.eps(k));
          const double f = 1 / (std::exp(model.beta * xi) + 1);
          const double angle = 2 * std::numbers::pi * (k[0] * r[0] / 4.0 + k[1] * r[1] / 3.0);
          const double parity = band == 1 && level == 1 ? -1 : 1;
          expected -= parity * std::cos(angle) * (1 - f) * std::exp(-xi * tau) / 24;
        }
      EXPECT_NEAR(bare.at(0, band, r, tau), expected, 1e-11) << r[0] << " " << r[1];
    }
}

TEST(WalkerRandom, the_stream_of_a_walker_is_its_own) {
  WalkerRandom first(7, 0), again(7, 0), second(7, 1);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const double x = first.uniform();
    EXPECT_EQ(x, again.uniform());
    EXPECT_TRUE(x >= 0 && x < 1);
    differs = differs || x != second.uniform();
  }
  EXPECT_TRUE(differs);
}

/// G(w) of an atom at half filling: i w / ((i w)^2 - U^2 / 4).
void check_atom(double u) {
  Hubbard model;
  model.u = u;
  model.beta = 2;
  const Problem problem = problem_of(model, 3, 1, {{0, 0}});
  const Cluster cluster = problem.cluster();
  const BareTime bare(model);
  constexpr int bins = 20;
  Averages averages(problem, cluster, bins, std::nullopt);
  Walker walker(model, bare, 11, 0);
  for (int sweep = 0; sweep < 200; ++sweep) walker.sweep();
  for (int number = 0; number < 8000; ++number) {
    walker.sweep();
    averages.add(walker.sample(), number * bins / 8000);
  }
  EXPECT_LT(walker.worst_residue(), 1e-8);
  EXPECT_EQ(averages.sign(), Complex(averages.count())) << "an atom has no sign problem";
  std::vector<Complex> signs;
  for (int bin = 0; bin < bins; ++bin) signs.push_back(averages.sign(bin));
  for (int w = 0; w < problem.axes.extended(); ++w) {
    std::vector<Complex> sums;
    for (int bin = 0; bin < bins; ++bin)
      sums.push_back(averages.sums(bin)[static_cast<std::size_t>(2 * w)]);
    const Estimate g = estimate(sums, signs);
    const Complex iw(0, problem.axes.frequency(w));
    const Complex exact = iw / (iw * iw - model.u * model.u / 4);
    EXPECT_LT(std::abs(g.value - exact), 5 * std::abs(g.error) + 1e-12) << w;
    EXPECT_LT(std::abs(g.error), 0.02);
  }
}

TEST(Walker, gives_the_greens_function_of_the_hubbard_atom) { check_atom(3); }

TEST(Walker, an_attraction_has_no_sign_problem) { check_atom(-3); }

TEST(Walker, without_interaction_there_are_no_vertices) {
  Hubbard model;
  model.lengths = {2, 2};
  const BareTime bare(model);
  Walker walker(model, bare, 1, 0);
  walker.sweep();
  EXPECT_EQ(walker.order(), 0);
  EXPECT_EQ(walker.sample(), Sample());
}

TEST(Hubbard, momenta_are_one_of_each_orbit) {
  EXPECT_EQ(irreducible_momenta({6, 6}).size(), 10U);
  EXPECT_EQ(irreducible_momenta({4, 4}).size(), 6U);
  EXPECT_EQ(irreducible_momenta({4, 1}).size(), 3U);
}

}  // namespace
}  // namespace blockyard::lattice
