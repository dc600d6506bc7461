// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/z_matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "blockyard/base/error.h"

namespace blockyard::qc {
namespace {

constexpr double degree = std::numbers::pi / 180;

double distance(const Atom& a, const Atom& b) {
  return std::hypot(a.position_bohr[0] - b.position_bohr[0],
                    a.position_bohr[1] - b.position_bohr[1],
                    a.position_bohr[2] - b.position_bohr[2]);
}

TEST(ZMatrix, PlacesWater) {
  const std::vector<ZMatrixRow> rows = {
      {8, -1, -1, -1, 0, 0, 0}, {1, 0, -1, -1, 1.8, 0, 0}, {1, 0, 1, -1, 1.8, 104.5 * degree, 0}};
  const auto atoms = place_z_matrix(rows);
  ASSERT_EQ(atoms.size(), 3u);
  EXPECT_NEAR(distance(atoms[0], atoms[1]), 1.8, 1e-12);
  EXPECT_NEAR(distance(atoms[0], atoms[2]), 1.8, 1e-12);
  EXPECT_NEAR(distance(atoms[1], atoms[2]), 2 * 1.8 * std::sin(52.25 * degree), 1e-12);
}

TEST(ZMatrix, TurnsByTheDihedralAngle) {
  // Hydrogen peroxide: cis at 0, trans at 180 degrees, mirror images at 90 and -90.
  const auto peroxide = [](double dihedral) {
    const std::vector<ZMatrixRow> rows = {{1, -1, -1, -1, 0, 0, 0},
                                          {8, 0, -1, -1, 1.8, 0, 0},
                                          {8, 1, 0, -1, 2.7, 100 * degree, 0},
                                          {1, 2, 1, 0, 1.8, 100 * degree, dihedral * degree}};
    return place_z_matrix(rows);
  };
  const double arm = 1.8 * std::sin(100 * degree);
  const double along = 2.7 - 2 * 1.8 * std::cos(100 * degree);
  EXPECT_NEAR(distance(peroxide(0)[0], peroxide(0)[3]), along, 1e-12);
  EXPECT_NEAR(distance(peroxide(180)[0], peroxide(180)[3]), std::hypot(along, 2 * arm), 1e-12);
  EXPECT_NEAR(peroxide(90)[3].position_bohr[1], -peroxide(-90)[3].position_bohr[1], 1e-12);
  EXPECT_GT(std::abs(peroxide(90)[3].position_bohr[1]), 1.0);
}

TEST(ZMatrix, LeavesDummiesOut) {
  const std::vector<ZMatrixRow> rows = {{0, -1, -1, -1, 0, 0, 0},
                                        {6, 0, -1, -1, 1.0, 0, 0},
                                        {8, 1, 0, -1, 2.2, 90 * degree, 0},
                                        {8, 1, 0, 2, 2.2, 90 * degree, 180 * degree}};
  const auto atoms = place_z_matrix(rows);
  ASSERT_EQ(atoms.size(), 3u);
  EXPECT_NEAR(distance(atoms[1], atoms[2]), 4.4, 1e-12);
}

TEST(ZMatrix, RefusesWhatHasNoPlace) {
  const auto failure = [](const std::vector<ZMatrixRow>& rows) -> std::string {
    try {
      static_cast<void>(place_z_matrix(rows));
    } catch (const base::Error& error) {
      return error.what();
    }
    return "no error";
  };
  const ZMatrixRow first{8, -1, -1, -1, 0, 0, 0}, second{1, 0, -1, -1, 1.8, 0, 0};
  EXPECT_NE(failure({first, {1, 1, -1, -1, 1, 0, 0}}).find("row 2"), std::string::npos);
  EXPECT_NE(failure({first, {1, 0, -1, -1, 0, 0, 0}}).find("positive"), std::string::npos);
  EXPECT_NE(failure({first, second, {1, 0, 0, -1, 1, 1, 0}}).find("twice"), std::string::npos);
  const ZMatrixRow in_line{1, 0, 1, -1, 1.8, std::numbers::pi, 0};
  EXPECT_NE(failure({first, second, in_line, {1, 2, 0, 1, 1, 1, 1}}).find("one line"),
            std::string::npos);
  const ZMatrixRow on_second{1, 0, 1, -1, 1.8, 0, 0};
  EXPECT_NE(failure({first, second, on_second, {1, 1, 2, 0, 1, 1, 1}}).find("one line"),
            std::string::npos);
}

}  // namespace
}  // namespace blockyard::qc
