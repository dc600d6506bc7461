// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/fragment_scf.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "blockyard/base/error.h"
#include "blockyard/qc/atomic_density.h"
#include "blockyard/qc/test_support.h"

namespace blockyard::qc {
namespace {

/// Water and, not far from it, helium.
struct Pair {
  Molecule molecule = testing::molecule_of(fmt::format("{}He 0 0 4.0\n", testing::water));
  Integrals integrals = testing::integrals_of(molecule, "6-31g*", true);
  IntegralEngine engine{integrals};
  FragmentOrbitals scf(const std::vector<std::size_t>& atoms, std::size_t n) {
    return fragment_scf(molecule, integrals.basis(), engine, atoms, std::vector<double>(n * n));
  }
};

TEST(FragmentScf, is_that_of_the_fragment_alone) {
  Pair both;
  const std::vector<std::size_t> water = {0, 1, 2};
  const FragmentOrbitals orbitals = both.scf(water, 18);
  ASSERT_EQ(orbitals.energies.size(), 18U);
  // E = sum over occupied i of (h_ii + e_i), and the nuclei; the reference of rhf_test.cpp.
  const ShellRange range = shells_of_atoms(both.integrals.basis(), water);
  std::vector<double> core(18 * 18), attraction(18 * 18);
  both.engine.kinetic(range, range, core);
  both.engine.nuclear_attraction_of(water, range, range, attraction);
  double energy = 9.189533762934902;
  for (std::size_t i = 0; i < 5; ++i) {
    energy += orbitals.energies[i];
    for (std::size_t b = 0; b < 18; ++b)
      for (std::size_t a = 0; a < 18; ++a)
        energy += (core[a + 18 * b] + attraction[a + 18 * b]) * orbitals.coefficients[a + 18 * i] *
                  orbitals.coefficients[b + 18 * i];
  }
  EXPECT_NEAR(energy, -76.00910803237781, 1e-9);
}

TEST(FragmentScf, needs_no_step_for_one_function) {
  const Molecule helium = testing::molecule_of("He 0 0 0\n");
  const Integrals integrals = testing::integrals_of(helium, "sto-3g", true);
  IntegralEngine engine(integrals);
  const std::vector<std::size_t> atom = {0};
  const auto orbitals =
      fragment_scf(helium, integrals.basis(), engine, atom, std::vector<double>{2.0});
  EXPECT_NEAR(orbitals.coefficients[0], 1.0, 1e-12);
}

TEST(FragmentScf, refuses_what_is_no_closed_shell_or_stands_apart) {
  Pair both;
  EXPECT_THROW((void)both.scf({1}, 2), base::Error);
  EXPECT_THROW((void)both.scf({0, 2}, 16), base::Error);
  EXPECT_THROW((void)both.scf({}, 0), base::Error);
}

TEST(FragmentScf, refuses_effective_cores_even_without_electrons) {
  Pair both;
  AoBasis basis = both.integrals.basis();
  basis.cores = {{3, both.molecule.atoms[3].position_bohr, {0, {{0, {2}, {0.5}, {1.0}}}}}};
  const std::vector<std::size_t> helium = {3};
  EXPECT_THROW(
      (void)fragment_scf(both.molecule, basis, both.engine, helium, std::vector<double>(4)),
      base::Error);
}

}  // namespace
}  // namespace blockyard::qc
