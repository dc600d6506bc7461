// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/triples_energy.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <vector>

namespace blockyard::qc {
namespace {

/// Some value that no other place has.
double value_at(std::size_t k) {
  return static_cast<double>((k * 7919 + 104729) % 1009) / 1009.0 - 0.4;
}

std::vector<double> values(std::size_t count, std::size_t seed) {
  std::vector<double> result(count);
  for (std::size_t k = 0; k < count; ++k) result[k] = value_at(k + seed);
  return result;
}

/// Everything for v virtual orbitals; W is kept whole, as W[x + v (y + v z)].
struct Case {
  explicit Case(std::size_t count) : v(count), w(values(v * v * v, 1)), energies(values(v, 5000)) {
    for (std::size_t n = 0; n < 3; ++n) {
      t[n] = values(v, 100 * n + 17);
      pairs[n] = values(v * v, 1000 * n + 3);
    }
    for (double& energy : energies) energy += 3.0;
  }

  OrbitalTriple orbitals() const {
    return {
        static_cast<Extent>(v), -2.5, {t[0], t[1], t[2]}, {pairs[0], pairs[1], pairs[2]}, energies};
  }

  double whole(std::size_t x, std::size_t y, std::size_t z) const { return w[x + v * (y + v * z)]; }

  /// Block of W at three ranges.
  std::vector<double> block(VirtualRange x, VirtualRange y, VirtualRange z) const {
    std::vector<double> result;
    for (Extent c = z.first; c < z.first + z.count; ++c)
      for (Extent b = y.first; b < y.first + y.count; ++b)
        for (Extent a = x.first; a < x.first + x.count; ++a)
          result.push_back(whole(static_cast<std::size_t>(a), static_cast<std::size_t>(b),
                                 static_cast<std::size_t>(c)));
    return result;
  }

  /// The definition: a sum over all x, y, z.
  double by_definition() const {
    double sum = 0.0;
    for (std::size_t x = 0; x < v; ++x)
      for (std::size_t y = 0; y < v; ++y)
        for (std::size_t z = 0; z < v; ++z) {
          const double r = 4.0 * whole(x, y, z) + whole(y, z, x) + whole(z, x, y) -
                           2.0 * (whole(y, x, z) + whole(z, y, x) + whole(x, z, y));
          const double full = whole(x, y, z) + t[0][x] * pairs[0][y + v * z] +
                              t[1][y] * pairs[1][x + v * z] + t[2][z] * pairs[2][x + v * y];
          sum += r * full / (-2.5 - energies[x] - energies[y] - energies[z]);
        }
    return sum;
  }

  double of_ranges(VirtualRange a, VirtualRange b, VirtualRange c) const {
    const auto abc = block(a, b, c), bca = block(b, c, a), cab = block(c, a, b);
    const auto bac = block(b, a, c), cba = block(c, b, a), acb = block(a, c, b);
    return triples_energy(orbitals(), {a, b, c}, {abc, bca, cab, bac, cba, acb});
  }

  std::size_t v;
  std::vector<double> w, energies;
  std::array<std::vector<double>, 3> t, pairs;
};

TEST(TriplesEnergy, OneRangeGivesTheSumOfTheDefinition) {
  for (const std::size_t count : {1, 3, 16, 21}) {
    const Case some(count);
    const VirtualRange all{0, static_cast<Extent>(count)};
    EXPECT_NEAR(some.of_ranges(all, all, all), some.by_definition(), 1e-9) << count;
  }
}

TEST(TriplesEnergy, RangesGiveTogetherWhatOneRangeGives) {
  const Case some(22);
  const std::vector<VirtualRange> ranges = {{0, 3}, {3, 18}, {21, 1}};
  double sum = 0.0;
  for (std::size_t a = 0; a < ranges.size(); ++a)
    for (std::size_t b = 0; b <= a; ++b)
      for (std::size_t c = 0; c <= b; ++c) sum += some.of_ranges(ranges[a], ranges[b], ranges[c]);
  EXPECT_NEAR(sum, some.by_definition(), 1e-9);
}

}  // namespace
}  // namespace blockyard::qc
