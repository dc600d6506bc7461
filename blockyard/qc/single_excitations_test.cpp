// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/single_excitations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "blockyard/base/error.h"

namespace blockyard::qc {
namespace {

/// Left states 3 l1 + l2 and l1 - 2 l2 of one energy, and 5 l3, of moments (1, 0, 0), (0, 1, 0),
/// (0, 0, 1), which meet one right state each.
TEST(Biorthogonal, left_states_of_one_energy_may_be_any_combination) {
  std::vector<Vector3> moments = {{3, 1, 0}, {1, -2, 0}, {0, 0, 5}};
  make_biorthogonal({3, 1, 0, 1, -2, 0, 0, 0, 5}, moments);
  for (std::size_t state = 0; state < 3; ++state)
    for (std::size_t axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(moments[state][axis], state == axis ? 1 : 0, 1e-14);
}

/// Of the matrix (1, 1; s^2, 1), with eigenvalues 1 +- s, left and right vectors meet by 2 s / (1 +
/// s^2).
TEST(Biorthogonal, states_that_become_one_have_no_moments) {
  for (const double s : {0.1, 1e-2, 1e-4}) {
    const double met = 2 * s / (1 + s * s);
    std::vector<Vector3> moments = {{s, 1, 0}, {-s, 1, 0}};
    const auto make = [&] { make_biorthogonal({met, 0, 0, -met}, moments); };
    if (s < 1e-3) {
      EXPECT_THROW(make(), base::Error);
      continue;
    }
    make();
    EXPECT_NEAR(moments[0][0], s / met, 1e-12);
    EXPECT_NEAR(moments[1][1], -1 / met, 1e-12);
  }
}

/// A left state of another symmetry than any right one meets those by what is left of iterations.
TEST(Biorthogonal, residues_are_no_overlap) {
  std::vector<Vector3> moments = {{1, 0, 0}, {0, 1, 0}};
  try {
    make_biorthogonal({1, 2e-5, -1e-5, 4e-5}, moments);
    FAIL() << "no error";
  } catch (const base::Error& error) {
    EXPECT_NE(std::string_view(error.what()).find("ask for more roots"), std::string_view::npos);
    EXPECT_NE(std::string_view(error.what()).find("excited state 2"), std::string_view::npos);
  }
}

}  // namespace
}  // namespace blockyard::qc
