// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/orbitals.h"

#include <gtest/gtest.h>

#include "blockyard/qc/cube.h"
#include "blockyard/qc/test_support.h"

namespace blockyard::qc {
namespace {

TEST(FilesOfOrbitals, HaveATitleOfSeveralLinesInOne) {
  const Molecule molecule = testing::molecule_of(testing::water);
  const AoBasis basis = testing::integrals_of(molecule, "sto-3g", true).basis();
  const std::string title = "two\nlines";
  EXPECT_NE(molden_text({molecule, basis, {}, title}).find("[Title]\n two lines\n[Atoms]"),
            std::string::npos);
  const std::vector<double> coefficients(7, 1.0);
  const std::string cube = orbital_cube(molecule, basis, coefficients, {{}, 1, {1, 1, 1}}, title);
  EXPECT_TRUE(cube.starts_with("two lines\nblockyard, atomic units\n"));
}

}  // namespace
}  // namespace blockyard::qc
