// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/cholesky.h"

#include <gtest/gtest.h>

#include <cmath>

#include "blockyard/qc/linear_algebra.h"
#include "blockyard/qc/test_support.h"

namespace blockyard::qc {
namespace {

/// The largest error of a diagonal integral (ab|ab) from the pivots.
double largest_error(const Integrals& integrals, const std::vector<FunctionPair>& pivots) {
  IntegralEngine engine(integrals);
  const auto n = static_cast<std::size_t>(integrals.basis().function_count);
  const std::size_t count = pivots.size();
  std::vector<double> rows(n * n * count), metric(count * count), vectors(count * count);
  pivot_integrals(engine, integrals.all_shells(), integrals.all_shells(), pivots, rows);
  pivot_metric(engine, pivots, pivots, metric);
  EXPECT_EQ(eigen_calc_sqr_inv(metric, vectors, 1e-12), 0);
  std::vector<double> whole(n * n * n * n);
  engine.electron_repulsion(integrals.all_shells(), integrals.all_shells(), integrals.all_shells(),
                            integrals.all_shells(), whole);
  double largest = 0;
  for (std::size_t ab = 0; ab < n * n; ++ab) {
    double error = whole[ab * (n * n + 1)];
    for (std::size_t v = 0; v < count; ++v) {
      double part = 0;
      for (std::size_t p = 0; p < count; ++p) part += rows[ab + n * n * p] * vectors[p + count * v];
      error -= std::pow(part * metric[v * (count + 1)], 2);
    }
    largest = std::max(largest, std::abs(error));
  }
  return largest;
}

TEST(Cholesky, ErrorsOfTheDiagonalStayBelowTheThreshold) {
  const auto integrals =
      testing::integrals_of(testing::molecule_of(testing::water), "6-31g*", true);
  std::size_t before = 0;
  for (const double threshold : {1e-2, 1e-4, 1e-6}) {
    const auto pivots = cholesky_pivots(integrals, threshold);
    EXPECT_LE(largest_error(integrals, pivots), 1.01 * threshold);
    EXPECT_GT(pivots.size(), before);
    before = pivots.size();
  }
  EXPECT_LT(before, 18U * 19U / 2U);
}

TEST(Cholesky, PivotsAreDifferentAndAscend) {
  const auto integrals =
      testing::integrals_of(testing::molecule_of(testing::water), "sto-3g", true);
  const auto pivots = cholesky_pivots(integrals, 1e-8);
  for (std::size_t k = 0; k < pivots.size(); ++k) {
    EXPECT_LE(pivots[k].second, pivots[k].first);
    for (std::size_t other = 0; other < k; ++other) EXPECT_NE(pivots[k], pivots[other]);
  }
}

TEST(Cholesky, MetricIsThePartOfTheIntegrals) {
  const auto integrals =
      testing::integrals_of(testing::molecule_of(testing::water), "sto-3g", true);
  IntegralEngine engine(integrals);
  const auto pivots = cholesky_pivots(integrals, 1e-3);
  const std::size_t n = 7, count = pivots.size();
  std::vector<double> rows(n * n * count), metric(count * count);
  pivot_integrals(engine, integrals.all_shells(), integrals.all_shells(), pivots, rows);
  pivot_metric(engine, pivots, pivots, metric);
  for (std::size_t p = 0; p < count; ++p) {
    const auto a = static_cast<std::size_t>(pivots[p].first);
    const auto b = static_cast<std::size_t>(pivots[p].second);
    for (std::size_t q = 0; q < count; ++q) {
      EXPECT_NEAR(metric[p + count * q], rows[a + n * b + n * n * q], 1e-12);
      EXPECT_NEAR(metric[p + count * q], metric[q + count * p], 1e-12);
    }
  }
}

TEST(Cholesky, TakesNoMoreMemoryThanItMay) {
  const auto integrals =
      testing::integrals_of(testing::molecule_of(testing::water), "cc-pvdz", true);
  constexpr std::int64_t enough = 2'000'000, little = 250'000;  // a vector has 300 numbers
  EXPECT_EQ(cholesky_pivots(integrals, 1e-8, enough), cholesky_pivots(integrals, 1e-8));
  const std::string error =
      testing::error_of([&] { (void)cholesky_pivots(integrals, 1e-8, little); });
  EXPECT_NE(error.find("too little memory: the Cholesky decomposition"), std::string::npos)
      << error;
  EXPECT_NE(error.find("--memory 1M"), std::string::npos) << error;
}

TEST(Cholesky, RefusesAThresholdThatMeansNothing) {
  const auto integrals =
      testing::integrals_of(testing::molecule_of(testing::water), "sto-3g", true);
  for (const double threshold : {0.0, 1e-12, 2.0, std::nan("")})
    EXPECT_NE(testing::error_of([&] { (void)cholesky_pivots(integrals, threshold); }), "");
}

}  // namespace
}  // namespace blockyard::qc
