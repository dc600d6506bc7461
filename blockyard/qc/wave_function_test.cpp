// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/wave_function.h"

#include <gtest/gtest.h>

#include <cmath>

namespace blockyard::qc {
namespace {

/// One s function on each of two atoms.
AoBasis two_functions() {
  AoBasis basis;
  for (std::size_t atom : {0, 1})
    basis.shells.push_back({atom, {}, {0, {1.0}, {1.0}}, static_cast<Extent>(atom), 1});
  basis.function_count = 2;
  return basis;
}

TEST(WaveFunction, MullikenHalvesTheOverlapPopulation) {
  // Two electrons in (chi_1 + 2 chi_2)/sqrt(5 + 4 s): 1 + 2 s of 5 + 4 s parts on the first atom.
  const double s = 0.25, norm = 5 + 4 * s;
  const std::vector<double> density = {2 / norm, 4 / norm, 4 / norm, 8 / norm};
  const auto populations =
      mulliken_populations(two_functions(), 2, density, std::vector<double>{1, s, s, 1});
  EXPECT_DOUBLE_EQ(populations[0], 2 * (1 + 2 * s) / norm);
  EXPECT_DOUBLE_EQ(populations[0] + populations[1], 2);
}

TEST(WaveFunction, AGhostWithoutFunctionsHasNoElectrons) {
  const auto populations = mulliken_populations(two_functions(), 3, std::vector<double>{1, 0, 0, 1},
                                                std::vector<double>{1, 0, 0, 1});
  EXPECT_EQ(populations, (std::vector<double>{1, 1, 0}));
}

TEST(WaveFunction, OrbitalEnergiesAreDiagonalElements) {
  const std::vector<double> fock = {-2, 0.5, 0.5, 1};
  const double h = std::sqrt(0.5);
  const auto energies = orbital_energies(std::vector{h, h, h, -h}, fock, 2);
  ASSERT_EQ(energies.size(), 2U);
  EXPECT_DOUBLE_EQ(energies[0], 0);
  EXPECT_DOUBLE_EQ(energies[1], -1);
}

TEST(WaveFunction, DiagnosticsOfSingles) {
  const std::vector<double> t1 = {0.3, 0, 0, 0.4, 0, 0};  // columns (0.3 0 0) and (0.4 0 0)
  const SinglesDiagnostics found = singles_diagnostics(t1, 3, 2);
  EXPECT_DOUBLE_EQ(found.t1, 0.5 / 2);
  EXPECT_DOUBLE_EQ(found.d1, 0.5);
}

TEST(WaveFunction, DiagnosticsOfSpinOrbitalsAreThoseOfAClosedShell) {
  const SinglesDiagnostics closed = singles_diagnostics(std::vector{0.1, -0.2}, 2, 1);
  const SinglesDiagnostics spin =
      singles_diagnostics(std::vector<double>{0.1, -0.2, 0, 0, 0, 0, 0.1, -0.2}, 4, 2);
  EXPECT_DOUBLE_EQ(spin.t1, closed.t1);
  EXPECT_DOUBLE_EQ(spin.d1, closed.d1);
}

TEST(WaveFunction, WithoutExcitationsDiagnosticsAreZero) {
  EXPECT_EQ(singles_diagnostics({}, 0, 3), SinglesDiagnostics{});
}

}  // namespace
}  // namespace blockyard::qc
