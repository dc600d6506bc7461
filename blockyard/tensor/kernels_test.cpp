// SPDX-License-Identifier: Apache-2.0
#include "blockyard/tensor/detail/kernels.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "blockyard/tensor/test_blocks.h"

namespace blockyard::tensor::detail {
namespace {

using test::random_block;

/// The baseline runs on every processor; the chosen kernels must do the same.
template <class T>
class ChosenKernels : public ::testing::Test {
 protected:
  const Kernels<T>& chosen = kernels<T>();
  const Kernels<T>& baseline = kernels_baseline<T>();
  std::mt19937_64 random{6};

  void expect_close(const std::vector<T>& a, const std::vector<T>& b) const {
    for (std::size_t i = 0; i < a.size(); ++i)
      ASSERT_LE(std::abs(a[i] - b[i]), 64 * std::numeric_limits<Real<T>>::epsilon());
  }
};
using Types = ::testing::Types<float, double, c64, c128>;
TYPED_TEST_SUITE(ChosenKernels, Types);

TYPED_TEST(ChosenKernels, MoveDataLikeTheBaseline) {
  using T = TypeParam;
  for (const Extent rows : {1, 3, 8, 20, 37})
    for (const Extent columns : {1, 2, 9, 16, 70}) {
      const auto in = random_block<T>((rows + 3) * columns, this->random);
      std::vector<T> a(static_cast<std::size_t>((columns + 5) * (rows + 2))), b = a;
      this->chosen.transpose(rows, columns, in.data(), rows + 3, a.data(), columns + 1, true);
      this->baseline.transpose(rows, columns, in.data(), rows + 3, b.data(), columns + 1, false);
      ASSERT_EQ(a, b);
      this->chosen.copy(rows, columns, in.data(), rows + 3, a.data(), rows + 1);
      this->baseline.copy(rows, columns, in.data(), rows + 3, b.data(), rows + 1);
      ASSERT_EQ(a, b);
      this->chosen.axpby(rows, columns, T(2), in.data(), rows + 3, T(-1), a.data(), rows + 1);
      this->baseline.axpby(rows, columns, T(2), in.data(), rows + 3, T(-1), b.data(), rows + 1);
      this->expect_close(a, b);
    }
}

TYPED_TEST(ChosenKernels, MultiplyLikeTheBaseline) {
  using T = TypeParam;
  for (const Extent m : {1, 4, 7, 16, 19})
    for (const Extent n : {1, 3, 4, 9})
      for (const Extent k : {1, 2, 16}) {
        const auto left = random_block<T>(m * k, this->random);
        const auto right = random_block<T>(k * n, this->random);
        auto a = random_block<T>(m * n, this->random);
        auto b = a;
        this->chosen.small_gemm(m, n, k, T(2), left.data(), m, right.data(), n, 1, T(1), a.data(),
                                m);
        this->baseline.small_gemm(m, n, k, T(2), left.data(), m, right.data(), n, 1, T(1), b.data(),
                                  m);
        this->expect_close(a, b);
      }
}

TYPED_TEST(ChosenKernels, ReduceLikeTheBaseline) {
  using T = TypeParam;
  for (const Extent length : {0, 1, 16, 33, 100}) {
    const auto x = random_block<T>(length, this->random);
    const auto y = random_block<T>(length, this->random);
    this->expect_close({this->chosen.dot(length, x.data(), y.data())},
                       {this->baseline.dot(length, x.data(), y.data())});
    this->expect_close({this->chosen.sum(length, x.data())},
                       {this->baseline.sum(length, x.data())});
  }
}

}  // namespace
}  // namespace blockyard::tensor::detail
