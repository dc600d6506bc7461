// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/device_products.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/blas/test_product.h"
#include "blockyard/device/sim/sim.h"

namespace blockyard::blas {
namespace {

/// op(matrix) at a row and a column.
double at(const std::vector<double>& matrix, std::int64_t leading, char op, std::int64_t row,
          std::int64_t column) {
  const auto place = op == 'N' ? column * leading + row : row * leading + column;
  return matrix[static_cast<std::size_t>(place)];
}

/// A product on a simulated device, compared with plain loops; elements between the columns of the
/// result must stay as they are.
void expect_right(DeviceProducts& products, char op_a, char op_b, std::int64_t m, std::int64_t n,
                  std::int64_t k, double beta, std::int64_t gap) {
  const std::int64_t lda = (op_a == 'N' ? m : k) + gap, ldb = (op_b == 'N' ? k : n) + gap,
                     ldc = m + gap;
  const auto counted = [](std::int64_t count) {
    std::vector<double> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i * 7 % 11) - 5;
    return values;
  };
  const auto a = counted(lda * (op_a == 'N' ? k : m)), b = counted(ldb * (op_b == 'N' ? n : k));
  auto c = counted(ldc * n);
  const auto before = c;
  if (beta == 0) c[0] = std::numeric_limits<double>::quiet_NaN();
  std::int64_t complete = 0;
  products.compute(Call<double>{.op_a = op_a,
                                .op_b = op_b,
                                .m = m,
                                .n = n,
                                .k = k,
                                .alpha = 2,
                                .a = a.data(),
                                .lda = lda,
                                .b = b.data(),
                                .ldb = ldb,
                                .beta = beta,
                                .c = c.data(),
                                .ldc = ldc},
                   complete);
  ASSERT_EQ(complete, n);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < ldc; ++i) {
      const auto place = static_cast<std::size_t>(j * ldc + i);
      double expected = before[place];
      if (i < m) {
        double sum = 0;
        for (std::int64_t l = 0; l < k; ++l) sum += at(a, lda, op_a, i, l) * at(b, ldb, op_b, l, j);
        expected = 2 * sum + (beta == 0 ? 0 : beta * before[place]);
      }
      ASSERT_EQ(c[place], expected) << op_a << op_b << " " << i << " " << j;  // whole numbers
    }
}

TEST(DeviceProducts, are_those_of_the_routine) {
  for (const std::string seed : {"seed=0", "seed=1", "seed=2"}) {
    DeviceProducts products(device::sim::table(), seed);
    for (const char op_a : {'N', 'T', 'C'})
      for (const char op_b : {'N', 'T', 'C'})
        for (const std::int64_t gap : {0, 3}) {
          expect_right(products, op_a, op_b, 7, 5, 6, 0.0, gap);
          expect_right(products, op_a, op_b, 3, 200, 2, -1.0, gap);
        }
  }
  DeviceProducts products(device::sim::table(), "seed=1");
  expect_right(products, 'N', 'T', 1, 70, 20000, -1.0, 1);  // two parts
}

TEST(DeviceProducts, of_long_sums_begin_before_all_has_been_sent) {
  for (const std::string seed : {"seed=0", "seed=1"})
    for (const std::int64_t kept_bytes : {0, 1 << 20}) {
      DeviceProducts products(device::sim::table(), seed, kept_bytes);
      for (int round = 0; round < 2; ++round)  // the second finds what is kept
        for (const char op_b : {'N', 'T', 'C'})
          for (const double beta : {0.0, -1.0}) {
            expect_right(products, 'N', op_b, 7, 9, 300, beta, 0);
            expect_right(products, 'N', op_b, 7, 9, 300, beta, 2);
            expect_right(products, 'N', op_b, 2, 600, 131, beta, 1);
          }
    }
}

/// Parts of equal content share one operand; what is kept is full, so that each further part wants
/// memory of an older one.
TEST(DeviceProducts, share_an_operand_until_the_last_part_is_done) {
  const std::int64_t m = 2, n = 8000, equal = 5632, k = 64;  // parts of 512 columns
  std::vector<double> a(m * k), b(k * n, 1), c(m * n);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i % 7);
  for (std::size_t i = equal * k; i < b.size(); ++i) b[i] = static_cast<double>(i * 7 % 11);
  for (int seed = 0; seed < 40; ++seed)
    for (const std::int64_t kept_bytes : {1 << 13, 1 << 19}) {
      DeviceProducts products(device::sim::table(), fmt::format("seed={}", seed), kept_bytes);
      std::int64_t complete = 0;
      products.compute(plain_product(m, n, k, a.data(), b.data(), c.data()), complete);
      ASSERT_EQ(complete, n);
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < m; ++i) {
          double sum = 0;
          for (std::int64_t l = 0; l < k; ++l) sum += at(a, m, 'N', i, l) * at(b, k, 'N', l, j);
          ASSERT_EQ(c[static_cast<std::size_t>(i + j * m)], sum) << seed << " " << kept_bytes;
        }
    }
}

TEST(DeviceProducts, find_no_operand_that_was_not_sent_whole) {
  DeviceProducts products(device::sim::table(), "memory=20000 seed=1", 20000);
  const std::vector<double> a(7 * 300, 1), b(60 * 300, 1);
  std::vector<double> c(7 * 60);
  Call<double> call = plain_product(7, 60, 300, a.data(), b.data(), c.data());
  std::int64_t complete = -1;
  products.compute(call, complete);
  EXPECT_EQ(complete, 0);  // there is no room for two columns of b
  EXPECT_TRUE(products.lacked_room());
  call.n = 1;
  products.compute(call, complete);
  EXPECT_EQ(complete, 1);
  EXPECT_FALSE(products.lacked_room());
  for (std::size_t i = 0; i < 7; ++i) ASSERT_EQ(c[i], 300.0);
}

TEST(DeviceProducts, without_room_leave_the_result_as_it_is) {
  DeviceProducts products(device::sim::table(), "memory=100");
  const std::vector<double> a(100, 1), b(100, 1);
  std::vector<double> c(100, 5);
  std::int64_t complete = -1;
  products.compute(plain_product(10, 10, 10, a.data(), b.data(), c.data()), complete);
  EXPECT_EQ(complete, 0);
  EXPECT_EQ(c, std::vector<double>(100, 5));
}

TEST(DeviceProducts, of_a_device_that_fails_say_how_much_is_there) {
  for (int fail = 8; fail < 60; ++fail) {
    std::vector<double> a(4, 1), b(800, 1), c(800, 5);
    std::int64_t complete = 0;
    try {
      DeviceProducts products(device::sim::table(), "fail_after=" + std::to_string(fail));
      products.compute(plain_product(2, 400, 2, a.data(), b.data(), c.data()), complete);
    } catch (const base::Error&) {
    }
    for (std::size_t i = 0; i < c.size(); ++i)
      ASSERT_EQ(c[i], i < 2 * static_cast<std::size_t>(complete) ? 2.0 : 5.0) << fail;
  }
}

TEST(DeviceProducts, send_nothing_that_is_there_already) {
  std::vector<double> a(12, 1), b(20, 2), c(15, 0), copy_of_b = b;
  Call<double> call = plain_product(3, 5, 4, a.data(), b.data(), c.data());
  std::int64_t complete = 0;
  DeviceProducts products(device::sim::table(), "seed=1");
  products.compute(call, complete);
  EXPECT_EQ(products.saved_bytes(), 0);
  products.compute(call, complete);
  EXPECT_EQ(products.saved_bytes(), 32 * 8);
  call.b = copy_of_b.data();  // elsewhere, and the other one is changed
  a[0] = 5;
  products.compute(call, complete);
  EXPECT_EQ(products.saved_bytes(), 20 * 8);
  EXPECT_EQ(c[0], 16.0);
  EXPECT_EQ(c[1], 8.0);

  DeviceProducts forgetful(device::sim::table(), "seed=1", 0);
  for (int k = 0; k < 2; ++k) forgetful.compute(call, complete);
  EXPECT_EQ(forgetful.saved_bytes(), 0);
}

/// Whole numbers, so that any order of sums gives the same.
std::vector<double> multiplied(std::int64_t n, const std::vector<double>& a,
                               const std::vector<double>& b, std::vector<double> c) {
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t l = 0; l < n; ++l)
        c[static_cast<std::size_t>(i + j * n)] += at(a, n, 'N', i, l) * at(b, n, 'N', l, j);
  return c;
}

TEST(DeviceProducts, give_the_same_bits_whatever_is_there_already) {
  constexpr std::int64_t n = 130;
  std::vector<double> a(n * n), b(n * n);
  for (std::size_t k = 0; k < a.size(); ++k)
    a[k] = std::sin(static_cast<double>(k)), b[k] = std::cos(static_cast<double>(k));
  for (const bool is_deterministic : {false, true}) {
    DeviceProducts products(device::sim::table(), "seed=5", {}, 0, is_deterministic);
    std::vector<double> first(n * n), again(n * n);
    std::int64_t complete = 0;
    products.compute(plain_product(n, n, n, a.data(), b.data(), first.data()), complete);
    products.compute(plain_product(n, n, n, a.data(), b.data(), again.data()), complete);
    EXPECT_GT(products.saved_bytes(), 0);
    EXPECT_EQ(first, again);
    if (!is_deterministic) continue;
    std::vector<double> known(n * n), unknown(n * n);  // a result as the right operand
    products.compute(plain_product(n, n, n, a.data(), first.data(), known.data()), complete);
    DeviceProducts others(device::sim::table(), "seed=5", {}, 0, true);
    others.compute(plain_product(n, n, n, a.data(), first.data(), unknown.data()), complete);
    EXPECT_EQ(known, unknown);
  }
}

TEST(DeviceProducts, with_a_triangle_leave_what_is_not_finite) {
  std::vector<double> triangle(9, 1), b = {std::numeric_limits<double>::infinity(), 1, 1, 1, 1, 1};
  const std::vector<double> before = b;
  Call<double> call = plain_product(3, 2, 3, triangle.data(), b.data(), b.data());
  call.form = Form::trmm;
  std::int64_t complete = 1;
  DeviceProducts products(device::sim::table(), "seed=1");
  products.compute(call, complete);
  EXPECT_EQ(complete, 0);
  EXPECT_EQ(b, before);
}

/// A result is on the device: as the left operand, the right one, or what is added to, it is not
/// sent. 200 columns are several parts.
TEST(DeviceProducts, send_no_result_of_an_earlier_product) {
  constexpr std::int64_t n = 200, bytes = n * n * 8;
  std::vector<double> a(n * n), b(n * n), c(n * n), d(n * n), e(n * n);
  for (std::size_t k = 0; k < a.size(); ++k)
    a[k] = static_cast<double>(k % 3) - 1, b[k] = static_cast<double>(k % 5) - 2;
  DeviceProducts products(device::sim::table(), "seed=3");
  std::int64_t complete = 0;
  products.compute(plain_product(n, n, n, a.data(), b.data(), c.data()), complete);
  EXPECT_EQ(products.saved_bytes(), 0);
  const auto ab = multiplied(n, a, b, std::vector<double>(n * n));
  ASSERT_EQ(c, ab);

  const std::vector<double> elsewhere = c;  // what counts is its content
  products.compute(plain_product(n, n, n, elsewhere.data(), b.data(), d.data()), complete);
  EXPECT_GE(products.saved_bytes(), bytes);
  ASSERT_EQ(d, multiplied(n, ab, b, std::vector<double>(n * n)));

  products.compute(plain_product(n, n, n, a.data(), c.data(), e.data()), complete);
  EXPECT_EQ(products.saved_bytes(), 2 * bytes);
  ASSERT_EQ(e, multiplied(n, a, ab, std::vector<double>(n * n)));

  for (int round = 0; round < 2; ++round) {
    auto call = plain_product(n, n, n, a.data(), b.data(), e.data());
    const auto expected = multiplied(n, a, b, e);
    call.beta = 1;
    products.compute(call, complete);
    EXPECT_GE(products.saved_bytes(), 2 * bytes) << round;
    ASSERT_EQ(e, expected) << round;
  }
  e[7] += 1;  // of what the program changes nothing is taken from the device
  auto call = plain_product(n, n, n, a.data(), b.data(), e.data());
  const auto expected = multiplied(n, a, b, e);
  call.beta = 1;
  products.compute(call, complete);
  ASSERT_EQ(e, expected);
}

/// A call that fails after it began to overwrite a result in its place; the next ones go on.
TEST(DeviceProducts, forget_results_of_calls_that_fail) {
  constexpr std::int64_t m = 8, n = 9000;  // three parts
  const std::vector<double> a(m * m, 1), b(m * n, 2);
  for (const std::string_view way : {"fail_call", "fail_after"})
    for (int number = 20; number < 160; number += 9) {
      std::optional<DeviceProducts> products;
      try {
        products.emplace(device::sim::table(), fmt::format("seed=4 {}={}", way, number));
      } catch (const base::Error&) {
        continue;
      }
      std::vector<double> c(m * n);
      for (int round = 0; round < 6; ++round) {
        auto call = plain_product(m, n, m, a.data(), b.data(), c.data());
        call.beta = 1;
        const auto before = c;
        std::int64_t complete = 0;
        try {
          products->compute(call, complete);
        } catch (const base::Error&) {
        }
        for (std::size_t k = 0; k < c.size(); ++k)
          ASSERT_EQ(c[k], before[k] + (static_cast<std::int64_t>(k) / m < complete ? 2 * m : 0))
              << way << number << " " << round;
      }
    }
}

TEST(DeviceProducts, keep_what_fits_and_let_the_oldest_go) {
  DeviceProducts products(device::sim::table(), "memory=4096 seed=1", 2048);
  std::int64_t complete = 0;
  for (int round = 0; round < 3; ++round)
    for (int which = 0; which < 6; ++which) {
      const std::vector<double> a(64, which), b(64, 1);
      std::vector<double> c(64);
      products.compute(plain_product(8, 8, 8, a.data(), b.data(), c.data()), complete);
      ASSERT_EQ(complete, 8);
      ASSERT_EQ(c, std::vector<double>(64, 8.0 * which));
    }
}

}  // namespace
}  // namespace blockyard::blas
