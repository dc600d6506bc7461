// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/projection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "blockyard/qc/linear_algebra.h"
#include "blockyard/qc/test_support.h"

namespace blockyard::qc {
namespace {

using testing::data_folder;
using testing::error_of;
using testing::molecule_of;

std::vector<double> overlap_of(const Integrals& integrals) {
  const auto n = static_cast<std::size_t>(integrals.basis().function_count);
  std::vector<double> overlap(n * n);
  IntegralEngine engine(integrals);
  engine.overlap(integrals.all_shells(), integrals.all_shells(), overlap);
  return overlap;
}

/// c_p^T S c_q
double product(const std::vector<double>& overlap, const double* p, const double* q,
               std::size_t n) {
  double sum = 0;
  for (std::size_t j = 0; j < n; ++j)
    sum += q[j] *
           std::inner_product(p, p + n, overlap.begin() + static_cast<std::ptrdiff_t>(j * n), 0.0);
  return sum;
}

/// The first orbitals of S^(-1/2): orthonormal ones of a basis.
std::vector<double> orthonormal_orbitals(const Integrals& integrals, std::size_t count) {
  std::vector<double> overlap = overlap_of(integrals);
  const auto n = static_cast<std::size_t>(integrals.basis().function_count);
  std::vector<double> vectors(n * n);
  (void)eigen_calc_sqr_inv(overlap, vectors, 1e-9);
  std::vector<double> result(n * count);
  for (std::size_t p = 0; p < count; ++p)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t i = 0; i < n; ++i)
        result[i + n * p] += vectors[i + n * k] * overlap[k + n * k] * vectors[p + n * k];
  return result;
}

class Projection : public ::testing::Test {
 protected:
  const Molecule molecule = molecule_of(testing::water);
  const Integrals small = testing::integrals_of(molecule, "6-31g", true);
  const Integrals large = testing::integrals_of(molecule, "cc-pvdz", true);
};

TEST_F(Projection, ToTheSameBasisChangesNothing) {
  const std::vector<double> orbitals = orthonormal_orbitals(small, 5);
  const std::vector<double> again =
      project_orbitals(molecule, small.basis(), small.basis(), orbitals);
  ASSERT_EQ(again.size(), orbitals.size());
  for (std::size_t k = 0; k < orbitals.size(); ++k) EXPECT_NEAR(again[k], orbitals[k], 1e-10);
}

TEST_F(Projection, OrbitalsAreOrthonormalInTheOtherBasis) {
  const std::vector<double> projected =
      project_orbitals(molecule, small.basis(), large.basis(), orthonormal_orbitals(small, 5));
  const auto n = static_cast<std::size_t>(large.basis().function_count);
  ASSERT_EQ(projected.size(), 5 * n);
  const std::vector<double> overlap = overlap_of(large);
  for (std::size_t p = 0; p < 5; ++p)
    for (std::size_t q = 0; q < 5; ++q)
      EXPECT_NEAR(product(overlap, &projected[p * n], &projected[q * n], n), p == q ? 1 : 0, 1e-10);
}

TEST_F(Projection, FunctionsFollowTheAtoms) {
  Molecule moved = molecule;
  for (Atom& atom : moved.atoms) atom.position_bohr[0] += 3;
  const Integrals there = testing::integrals_of(moved, "cc-pvdz", true);
  const std::vector<double> orbitals = orthonormal_orbitals(small, 5);
  const std::vector<double> here =
      project_orbitals(molecule, small.basis(), large.basis(), orbitals);
  const std::vector<double> away = project_orbitals(moved, small.basis(), there.basis(), orbitals);
  for (std::size_t k = 0; k < here.size(); ++k) EXPECT_NEAR(away[k], here[k], 1e-10);
}

TEST_F(Projection, NoOrbitalsStayNone) {
  EXPECT_TRUE(project_orbitals(molecule, small.basis(), large.basis(), {}).empty());
}

TEST_F(Projection, RefusesWhatCannotBe) {
  const Integrals cartesian = testing::integrals_of(molecule, "cc-pvdz", false);
  const std::vector<double> orbitals = orthonormal_orbitals(small, 13);
  EXPECT_NE(error_of([&] {
              (void)project_orbitals(molecule, small.basis(), cartesian.basis(), orbitals);
            }).find("Cartesian"),
            std::string::npos);
  const Integrals minimal = testing::integrals_of(molecule, "sto-3g", true);
  EXPECT_NE(error_of([&] {
              (void)project_orbitals(molecule, small.basis(), minimal.basis(), orbitals);
            }).find("too few functions"),
            std::string::npos);
}

}  // namespace
}  // namespace blockyard::qc
