// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/fcidump.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "blockyard/qc/test_support.h"

namespace blockyard::qc {
namespace {

TEST(Fcidump, TakesNoMoreMemoryThanItSays) {
  const Molecule molecule = testing::molecule_of(testing::water);
  const Integrals integrals = testing::integrals_of(molecule, "sto-3g", true);
  const Extent n = integrals.basis().function_count;
  std::vector<double> coefficients(static_cast<std::size_t>(n * n));
  for (std::size_t k = 0; k < coefficients.size(); ++k)
    coefficients[k] = std::sin(static_cast<double>(k + 1));  // no integral is zero by symmetry
  const std::string text = fcidump_text(integrals, {coefficients, coefficients, 9.0, 0, 5});
  EXPECT_EQ(std::ranges::count(text, '\n'), 4 + 28 * 29 / 2 + 28 + 1);
  const double values = sizeof(double) * 28 * 28;
  EXPECT_LE(values + static_cast<double>(text.capacity()), fcidump_bytes(n));
}

}  // namespace
}  // namespace blockyard::qc
