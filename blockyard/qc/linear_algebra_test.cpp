// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/linear_algebra.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "blockyard/base/error.h"

namespace blockyard::qc {
namespace {

using Values = std::vector<double>;

void expect_near(const Values& actual, const Values& expected, double tolerance = 1e-13) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t k = 0; k < actual.size(); ++k)
    EXPECT_NEAR(actual[k], expected[k], tolerance) << "element " << k;
}

TEST(EigenCalc, of_two_by_two_is_known) {
  Values a = {2, 1, 1, 2};
  Values b(4);
  eigen_calc(a, b);
  const double h = std::sqrt(0.5);
  expect_near(a, {1, 0, 0, 3});
  expect_near(b, {h, -h, h, h});  // the first component is positive
}

TEST(EigenCalc, nan_is_refused) {
  Values a = {1, 0, 0, std::numeric_limits<double>::quiet_NaN()};
  Values b(4);
  EXPECT_THROW(eigen_calc(a, b), base::Error);
}

TEST(EigenCalcSqrInv, gives_the_inverse_root) {
  Values a = {2, 1, 1, 2};
  Values b(4);
  EXPECT_EQ(eigen_calc_sqr_inv(a, b, 1e-9), 0);
  expect_near(a, {1, 0, 0, 1 / std::sqrt(3.0)});
}

TEST(EigenCalcSqrInv, dependent_functions_come_last_as_zeros) {
  Values a = {1, 1, 0, 1, 1, 0, 0, 0, 4};  // eigenvalues 0, 2, 4
  Values b(9);
  EXPECT_EQ(eigen_calc_sqr_inv(a, b, 1e-9), 1);
  const double h = std::sqrt(0.5);
  expect_near(a, {h, 0, 0, 0, 0.5, 0, 0, 0, 0});
  expect_near(b, {h, h, 0, 0, 0, 1, 0, 0, 0});
}

TEST(ComputeDiis, of_orthogonal_errors_is_known) {
  // Least c1^2 + 4 c2^2 with c1 + c2 = 1: c = (4/5, 1/5). The third row is not in use.
  Values b = {1, 0, 0, 0, 4, 0, 0, 0, 0};
  compute_diis(b);
  expect_near(b, {0.8, 0, 0, 0, 0.2, 0, 0, 0, 0});
}

TEST(ComputeDiis, reads_the_upper_triangle_and_leaves_the_rest) {
  Values b = {2, -7, 1, 3};  // column-major: B12 = 1 above, -7 below the diagonal
  compute_diis(b);
  expect_near(b, {2.0 / 3, -7, 1, 1.0 / 3});
}

TEST(ComputeDiis, dependent_errors_are_left_out) {
  Values b = {1, 1, 1, 1, 1, 1, 1, 1, 1};  // three times the same error
  compute_diis(b);
  EXPECT_NEAR(b[0] + b[4] + b[8], 1.0, 1e-12);
  Values one = {5};
  compute_diis(one);
  EXPECT_EQ(one[0], 1.0);
  Values none = {0};
  EXPECT_THROW(compute_diis(none), base::Error);
}

TEST(GenEigenCalc, vectors_belong_to_sorted_values) {
  const Values matrix = {1, 0, 0, 2, 0, 0, 3, 4, -5};  // upper triangular: 1, 0, -5
  Values a = matrix, left(9), right(9), values(3);
  gen_eigen_calc(a, left, right, values);
  expect_near(values, {-5, 1, 0});  // zero comes last
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < 3; ++i) {
      double on_right = 0.0, on_left = 0.0;
      for (std::size_t j = 0; j < 3; ++j) {
        on_right += matrix[i + 3 * j] * right[j + 3 * k];
        on_left += left[j + 3 * k] * matrix[j + 3 * i];
      }
      EXPECT_NEAR(on_right, values[k] * right[i + 3 * k], 1e-13);
      EXPECT_NEAR(on_left, values[k] * left[i + 3 * k], 1e-13);
    }
}

}  // namespace
}  // namespace blockyard::qc
