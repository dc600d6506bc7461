// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/exact_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/lattice/green.h"

namespace blockyard::lattice {

namespace {

/// By how much a later sample may contribute more than those that were looked at.
constexpr double margin = 64;

double bound_above(double largest) { return largest > 0 ? margin * largest : 1; }

}  // namespace

Largest largest_of(const Axes& axes, std::span<const double> green, Complex sign) {
  double most = 0;
  for (const double value : green) most = std::max(most, std::abs(value));
  // |G| <= sqrt(2) most; a charge contribution is at most (4 + 2) / 2 times its square.
  constexpr double of_a_square = 6;
  const double f = std::abs(sign);
  return {f * of_a_square * most * most, f * std::sqrt(2.0) * most / axes.beta, f};
}

Largest largest_of(const Problem& problem, const Cluster& cluster, const Sample& sample) {
  const TileSet set = TileSet::diagonal(problem.axes);
  std::vector<double> tiles(set.values());
  SampleGreen(cluster, problem.axes, problem.g0).compute(sample, set, tiles);
  return largest_of(problem.axes, tiles, sample.sign);
}

Largest larger_of(const Largest& a, const Largest& b) {
  return {std::max(a.g4, b.g4), std::max(a.green, b.green), std::max(a.sign, b.sign)};
}

ExactBounds bounds_of(const Largest& largest, const Axes& axes, std::int64_t samples, double wished,
                      std::string_view option) {
  const double sign = std::max(1.0, largest.sign);
  ExactBounds bounds{bound_above(largest.g4), bound_above(largest.green),
                     margin * std::max(sign, sign * sign)};
  if (wished <= 0) return bounds;
  constexpr double least_units = 1e6;
  const double units = std::ldexp(largest.g4, ring::ExactScale(samples, wished).exponent());
  if (largest.g4 > 0 && units < least_units)
    throw base::Error(
        base::Errc::bad_input,
        fmt::format("{} is {:.3g}, so far above the contributions to G4, at most about {:.3g}, "
                    "that exact sums would round these away: set it to {:.3g}, or leave it out",
                    option, wished, largest.g4, bounds.g4));
  bounds.g4 = wished;
  bounds.green = std::max(bounds.green, std::sqrt(wished) / axes.beta);
  return bounds;
}

}  // namespace blockyard::lattice
