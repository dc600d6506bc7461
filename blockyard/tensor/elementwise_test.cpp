// SPDX-License-Identifier: Apache-2.0
#include "blockyard/tensor/elementwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/tensor/blas.h"
#include "blockyard/tensor/test_blocks.h"

namespace blockyard::tensor {
namespace {

using test::random_block;

template <class T>
class Elementwise : public ::testing::Test {
 protected:
  static constexpr std::array<Extent, 8> lengths = {0, 1, 2, 15, 16, 17, 63, 1000};
  static double tolerance(Extent length) {
    return 4.0 * static_cast<double>(length + 4) * std::numeric_limits<Real<T>>::epsilon();
  }
  std::mt19937_64 random{5};
};
using Types = ::testing::Types<float, double, c64, c128>;
TYPED_TEST_SUITE(Elementwise, Types);

TYPED_TEST(Elementwise, FillScaleAddReachEveryElement) {
  using T = TypeParam;
  for (const Extent length : this->lengths) {
    auto x = random_block<T>(length, this->random);
    const auto old = x;
    scale<T>(x, T(2));
    add_scalar<T>(x, T(1));
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(x[i], T(2) * old[i] + T(1));
    fill<T>(x, T(7));
    for (const T& value : x) ASSERT_EQ(value, T(7));
  }
}

TYPED_TEST(Elementwise, ScaleByZeroKeepsWhatIsNotFinite) {
  using T = TypeParam;
  std::vector<T> x(9, T(std::numeric_limits<Real<T>>::infinity()));
  x[3] = T(2);
  scale<T>(x, T(0));
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(x[i] == x[i], i == 3) << i;
}

TYPED_TEST(Elementwise, AxpyAndAxpbyEqualTheDefinition) {
  using T = TypeParam;
  for (const Extent length : this->lengths) {
    const auto x = random_block<T>(length, this->random);
    auto y = random_block<T>(length, this->random);
    const auto old = y;
    axpy<T>(T(-0.5), x, y);
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_LE(std::abs(y[i] - (old[i] - T(0.5) * x[i])), this->tolerance(1));
    y = old;
    axpby<T>(T(2), x, T(3), y);
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_LE(std::abs(y[i] - (T(2) * x[i] + T(3) * old[i])), this->tolerance(4));
    std::ranges::fill(y, T(std::numeric_limits<Real<T>>::quiet_NaN()));
    axpby<T>(T(2), x, T(0), y);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], T(2) * x[i]);
  }
}

TYPED_TEST(Elementwise, ReductionsEqualTheDefinition) {
  using T = TypeParam;
  for (const Extent length : this->lengths) {
    const auto x = random_block<T>(length, this->random);
    const auto y = random_block<T>(length, this->random);
    T products(0), conjugate_products(0), total(0);
    double squares = 0, largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      products += x[i] * y[i];
      if constexpr (std::same_as<T, Real<T>>)
        conjugate_products += x[i] * y[i];
      else
        conjugate_products += std::conj(x[i]) * y[i];
      total += x[i];
      squares += static_cast<double>(std::norm(x[i]));
      largest = std::max(largest, static_cast<double>(std::abs(x[i])));
    }
    const double tolerance = this->tolerance(length);
    EXPECT_LE(std::abs(dot<T>(x, y) - products), tolerance);
    EXPECT_LE(std::abs(dot_conjugate<T>(x, y) - conjugate_products), tolerance);
    EXPECT_LE(std::abs(sum<T>(x) - total), tolerance);
    EXPECT_NEAR(norm2<T>(x), std::sqrt(squares), tolerance);
    EXPECT_NEAR(max_abs<T>(x), largest, tolerance);
  }
}

TYPED_TEST(Elementwise, NormDoesNotOverflowOrVanishBeforeItMust) {
  using T = TypeParam;
  using R = Real<T>;
  const R huge = std::numeric_limits<R>::max() / 4;
  const R tiny = std::numeric_limits<R>::min() * 4;
  const std::vector<T> large(4, T(huge)), small(4, T(tiny));
  EXPECT_NEAR(norm2<T>(large) / huge, R(2), 1e-6);
  EXPECT_NEAR(norm2<T>(small) / tiny, R(2), 1e-6);
  EXPECT_EQ(norm2<T>(std::vector<T>(3)), R(0));
  EXPECT_TRUE(std::isinf(norm2<T>(std::vector<T>{T(std::numeric_limits<R>::infinity())})));
}

TYPED_TEST(Elementwise, NormsShowANan) {
  using T = TypeParam;
  std::vector<T> x(40, T(1));
  x[17] = T(std::numeric_limits<Real<T>>::quiet_NaN());
  EXPECT_TRUE(std::isnan(max_abs<T>(x)));
  EXPECT_TRUE(std::isnan(norm2<T>(x)));
}

TYPED_TEST(Elementwise, BlocksOfDifferentLengthsAreAnError) {
  using T = TypeParam;
  std::vector<T> x(3), y(4);
  EXPECT_THROW(axpy<T>(T(1), x, y), base::Error);
  EXPECT_THROW(static_cast<void>(dot<T>(x, y)), base::Error);
}

TEST(Blas, ThreadsCanBeLimitedWithoutHarm) {
  static_cast<void>(blas::limit_blas_threads(1));
  const double a = 3, b = 4;
  double c = 5;
  blas::gemm<double>(blas::Op::none, blas::Op::none, 1, 1, 1, 2, &a, 1, &b, 1, 1, &c, 1);
  EXPECT_EQ(c, 29);
}

}  // namespace
}  // namespace blockyard::tensor
