// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/atomic_density.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <cmath>
#include <numeric>

#include "blockyard/qc/configuration.h"
#include "blockyard/qc/element.h"
#include "blockyard/qc/test_support.h"

namespace blockyard::qc {
namespace {

/// Trace of density * overlap.
double electrons_in(const std::vector<double>& density, const Integrals& integrals) {
  std::vector<double> overlap(density.size());
  IntegralEngine engine(integrals);
  engine.overlap(integrals.all_shells(), integrals.all_shells(), overlap);
  return std::inner_product(density.begin(), density.end(), overlap.begin(), 0.0);
}

class AtomicDensities : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(SphericalAndCartesian, AtomicDensities, ::testing::Bool());

TEST_P(AtomicDensities, of_a_molecule_hold_its_electrons) {
  const auto water = testing::molecule_of(testing::water);
  for (const auto* name : {"sto-3g", "6-31g**", "cc-pvtz"}) {
    const auto integrals = testing::integrals_of(water, name, GetParam());
    EXPECT_NEAR(electrons_in(atomic_densities(water, integrals.basis()), integrals), 10.0, 1e-9)
        << name;
  }
}

TEST_P(AtomicDensities, converge_from_hydrogen_to_argon) {
  for (int z = 1; z <= 18; ++z)
    for (const auto* name : {"sto-3g", "cc-pvdz"}) {
      const Molecule atom{{{z, {0.1, 0.2, 0.3}}}, 0, 1};
      const auto integrals = testing::integrals_of(atom, name, GetParam());
      EXPECT_NEAR(electrons_in(atomic_densities(atom, integrals.basis()), integrals), z, 1e-9)
          << z << " in " << name;
    }
}

TEST(AtomicDensities, do_not_know_directions) {
  // The averaged density of oxygen has the same second moment along x, y and z.
  const Molecule atom{{{8, {}}}, 0, 1};
  const auto integrals = testing::integrals_of(atom, "cc-pvdz", false);
  const auto& basis = integrals.basis();
  const auto density = atomic_densities(atom, basis);
  const auto n = static_cast<std::size_t>(basis.function_count);
  // Last shell is d: xx xy xz yy yz zz. Last but one is p: x y z.
  const auto value = [&](std::size_t k) { return density[k * (n + 1)]; };
  EXPECT_NEAR(value(n - 9), value(n - 8), 1e-12);
  EXPECT_NEAR(value(n - 9), value(n - 7), 1e-12);
  EXPECT_GT(value(n - 9), 0.01);
}

TEST(AtomicDensities, configurations_have_the_electrons_of_the_element) {
  for (int z = 1; z <= heaviest_element; ++z) {
    const auto shells = atomic_configuration(z);
    EXPECT_EQ(std::accumulate(shells.begin(), shells.end(), 0), z);
  }
  EXPECT_EQ(atomic_configuration(6), (std::array<int, 4>{4, 2, 0, 0}));
  EXPECT_EQ(atomic_configuration(24), (std::array<int, 4>{7, 12, 5, 0}));
  EXPECT_EQ(atomic_configuration(86), (std::array<int, 4>{12, 30, 30, 14}));
  EXPECT_EQ(core_configuration(28), (std::array<int, 4>{6, 12, 10, 0}));
  EXPECT_EQ(core_configuration(46), (std::array<int, 4>{8, 18, 20, 0}));
  EXPECT_EQ(core_configuration(54), (std::array<int, 4>{10, 24, 20, 0}));
  EXPECT_EQ(core_configuration(60), (std::array<int, 4>{8, 18, 20, 14}));
}

TEST(AtomicDensities, with_effective_cores_hold_the_other_electrons) {
  for (const auto* name : {"def2-svp", "lanl2dz", "sbkjc", "cc-pvdz-pp"}) {
    const auto set = load_basis(name, testing::data_folder);
    for (const int z : {17, 53, 57, 79}) {
      if (!set.cores.contains(z)) continue;
      Molecule atom{{{z, {}}}, 0, 1};
      const std::array<AtomSets, 1> sets = {AtomSets{&set, &set}};
      take_cores(sets, atom);
      const Integrals integrals(atom, place_basis(sets, atom, true));
      EXPECT_NEAR(electrons_in(atomic_densities(atom, integrals.basis()), integrals),
                  z - atom.atoms[0].core_electrons, 1e-9)
          << z << " in " << name;
    }
  }
}

TEST(AtomicDensities, of_heavy_atoms_take_little_memory) {
  const auto peak_bytes = [] {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return std::int64_t{usage.ru_maxrss} << 10;
  };
  const Molecule krypton{{{36, {}}}, 0, 1};
  const auto integrals = testing::integrals_of(krypton, "cc-pvqz", true);
  const std::int64_t before = peak_bytes();
  EXPECT_NEAR(electrons_in(atomic_densities(krypton, integrals.basis()), integrals), 36, 1e-9);
  EXPECT_LT(peak_bytes() - before, 60 << 20);  // every worker makes them; (dd|dd) alone are 104 MB
}

TEST(AtomicDensities, a_core_without_electrons_is_another_kind_of_atom) {
  const auto plain = load_basis("6-31g", testing::data_folder);
  BasisSet other = plain;
  other.cores[1] = {0, {{0, {2}, {0.5}, {1.0}}}};
  Molecule pair = testing::molecule_of("H 0 0 0\nH 0 0 9\n");
  const std::array<AtomSets, 2> sets = {AtomSets{&plain, nullptr}, AtomSets{&other, &other}};
  take_cores(sets, pair);
  const auto density = atomic_densities(pair, place_basis(sets, pair, true));
  EXPECT_GT(std::abs(density[0] - density[2 + 4 * 2]), 1e-3);
}

TEST(AtomicDensities, of_ghosts_are_zero) {
  auto pair = testing::molecule_of("He 0 0 0\nGh(Ne) 0 0 2\n");
  const auto integrals = testing::integrals_of(pair, "6-31g*", true);
  EXPECT_NEAR(electrons_in(atomic_densities(pair, integrals.basis()), integrals), 2.0, 1e-9);
}

TEST(AtomicDensities, too_few_functions_are_refused) {
  EXPECT_EQ(testing::error_of([] {
              (void)atomic_density({6}, {{0, {1.0}, {1.0}}}, true);
            }),
            "the basis has too few functions for the electrons of C");
}

}  // namespace
}  // namespace blockyard::qc
