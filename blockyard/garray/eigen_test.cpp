// SPDX-License-Identifier: Apache-2.0
#include "blockyard/garray/eigen.h"

#include <gtest/gtest.h>

#include <vector>

namespace blockyard::garray {
namespace {

constexpr int n = 3;

/// 2 on the diagonal, -1 next to it: the values are 2 - 2 cos(k pi / 4).
const std::vector<double> chain = {2, -1, 0, -1, 2, -1, 0, -1, 2};
const double expected[] = {2 - 1.4142135623730951, 2, 2 + 1.4142135623730951};

TEST(Eigen, needs_no_long_workspace) {
  for (const base::Extent longest : {INT32_MAX, 10}) {
    std::vector<double> matrix = chain, values(n);
    ASSERT_EQ(eigenvectors(n, matrix.data(), nullptr, values.data(), longest), 0);
    for (std::size_t k = 0; k < n; ++k) {
      EXPECT_NEAR(values[k], expected[k], 1e-14);
      EXPECT_NEAR(2 * matrix[3 * k] - matrix[3 * k + 1], expected[k] * matrix[3 * k], 1e-14);
    }
    std::vector<double> metric = {2, 0, 0, 0, 2, 0, 0, 0, 2};
    matrix = chain;
    ASSERT_EQ(eigenvectors(n, matrix.data(), metric.data(), values.data(), longest), 0);
    for (std::size_t k = 0; k < n; ++k) EXPECT_NEAR(values[k], expected[k] / 2, 1e-14);
    metric = {2, 0, 0, 0, -2, 0, 0, 0, 2};
    matrix = chain;
    EXPECT_EQ(eigenvectors(n, matrix.data(), metric.data(), values.data(), longest), n + 2);
  }
}

TEST(Eigen, needs_no_long_workspace_of_complex_numbers) {
  for (const base::Extent longest : {INT32_MAX, 10}) {
    std::vector<std::complex<double>> matrix(chain.begin(), chain.end());
    matrix[1] = {0, -1}, matrix[3] = {0, 1};  // the same values
    std::vector<double> values(n);
    ASSERT_EQ(eigenvectors(n, matrix.data(), values.data(), longest), 0);
    for (std::size_t k = 0; k < n; ++k) EXPECT_NEAR(values[k], expected[k], 1e-14);
  }
}

}  // namespace
}  // namespace blockyard::garray
