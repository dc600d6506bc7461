// SPDX-License-Identifier: Apache-2.0
// What the numbers can show: nothing of the order of sums, and each operand that is shortened.
#include "plugins/device_cuda/check_numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "blockyard/device/abi_cpp.h"
#include "plugins/device_cuda/test_types.h"

namespace blockyard::cuda {
namespace {

constexpr std::size_t reals = 2048;  // of a block

template <class T>
using Real = decltype(std::abs(T{}));
/// The contraction by loops over k and l, or over l and k, both from the end.
template <class T>
std::vector<T> contract(const CheckNumbers<Real<T>>& numbers, bool is_reversed) {
  const T* const left = reinterpret_cast<const T*>(numbers.left.data());
  const T* const right = reinterpret_cast<const T*>(numbers.right.data());
  const T* const before = reinterpret_cast<const T*>(numbers.result.data());
  const T alpha = device::number<T>(numbers.alpha), beta = device::number<T>(numbers.beta);
  std::vector<T> made;
  for (int b = 0; b < 10; ++b)
    for (int a = 0; a < 9; ++a) {
      T sum{};
      for (int i = 0; i < 30; ++i) {
        const int k = is_reversed ? 4 - i % 5 : i / 6, l = is_reversed ? 5 - i / 5 : i % 6;
        sum += device::conjugated(left[k + 5 * (a + 9 * l)]) * right[l + 6 * (b + 10 * k)];
      }
      made.push_back(alpha * sum + (beta == T{} ? T{} : beta * before[made.size()]));
    }
  return made;
}

/// An operand as a faster product rounds it: with this many bits less.
template <class Number>
std::vector<Number> shortened(std::vector<Number> values, int bits) {
  const Number unit = std::ldexp(Number(1), std::numeric_limits<Number>::digits - bits);
  for (Number& value : values) {
    int exponent = 0;
    const Number fraction = std::frexp(value, &exponent);
    value = std::ldexp(std::round(fraction * unit) / unit, exponent);
  }
  return values;
}

template <class T>
class CheckNumbersTest : public ::testing::Test {};
using Elements = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(CheckNumbersTest, Elements);

TYPED_TEST(CheckNumbersTest, NoOrderOfSumsRounds) {
  const auto operation = check_operation(BLOCKYARD_CONTRACT, element_of<TypeParam>);
  for (const auto& numbers : check_numbers<Real<TypeParam>>(operation, reals)) {
    const auto found = contract<TypeParam>(numbers, false);
    EXPECT_EQ(found, contract<TypeParam>(numbers, true));
    EXPECT_NE(found.front(), TypeParam{});
  }
}

TYPED_TEST(CheckNumbersTest, OperandsThatAreShortenedByOneBitAreSeen) {
  const auto operation = check_operation(BLOCKYARD_CONTRACT, element_of<TypeParam>);
  int of_left = 0, of_right = 0;
  for (const auto& numbers : check_numbers<Real<TypeParam>>(operation, reals)) {
    auto left = numbers, right = numbers;
    left.left = shortened(left.left, 1);
    right.right = shortened(right.right, 1);
    const auto whole = contract<TypeParam>(numbers, false);
    of_left += contract<TypeParam>(left, false) != whole ? 1 : 0;
    of_right += contract<TypeParam>(right, false) != whole ? 1 : 0;
  }
  EXPECT_EQ(of_left, 1);
  EXPECT_EQ(of_right, 1);
}

}  // namespace
}  // namespace blockyard::cuda
