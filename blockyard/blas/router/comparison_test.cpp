// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>

namespace blockyard::blas {
namespace {

constexpr std::int64_t order = 12;
constexpr auto count = static_cast<std::size_t>(order * order);

std::vector<double> drawn(unsigned seed) {
  std::mt19937 source(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> values(count);
  for (double& value : values) value = uniform(source);
  return values;
}

/// c = a b, "there" and "here", with a change of one element there.
double residual_with(double change) {
  const std::vector<double> a = drawn(1), b = drawn(2);
  std::vector<double> c = drawn(3);
  const std::vector<double> before = c, exact = product(a, b, order, order, order);
  Call<double> call{.m = order, .n = order, .k = order, .alpha = 1, .a = a.data()};
  call.lda = call.ldb = call.ldc = order;
  call.b = b.data();
  call.c = c.data();
  const auto comparison = compare_level3(call);
  c = exact;
  c[7] += change;
  comparison->keep_theirs();
  EXPECT_EQ(c, before) << "the program's memory is not as before the call";
  c = exact;
  const double residual = comparison->residual();
  EXPECT_EQ(residual <= comparison->bound(), std::abs(change) < 1e-12) << residual;
  return residual;
}

TEST(Comparison, finds_equal_results_right) { EXPECT_EQ(residual_with(0), 0); }

TEST(Comparison, allows_rounding) { EXPECT_LT(residual_with(1e-15), 1); }

TEST(Comparison, finds_one_wrong_element) {
  EXPECT_GT(residual_with(1e-9), 16);
  EXPECT_GT(residual_with(std::numeric_limits<double>::infinity()), 16);
  EXPECT_GT(residual_with(std::numeric_limits<double>::quiet_NaN()), 16);
}

/// The small element decides a number near 1e9, of which only seven digits are known.
TEST(Comparison, judges_solutions_by_what_the_matrix_makes_of_them) {
  std::vector<double> triangle(count), right(count, 1);
  for (std::int64_t k = 0; k < order; ++k)
    triangle[static_cast<std::size_t>(k * (order + 1))] = k == 0 ? 1e-9 : 1;
  Call<double> call{.form = Form::trsm, .m = order, .n = order, .alpha = 1, .a = triangle.data()};
  call.lda = call.ldc = order;
  call.c = right.data();
  for (const std::size_t changed : {std::size_t{0}, std::size_t{1}}) {
    std::vector<double> solution(count, 1);
    const auto comparison = compare_level3(call);
    right = solution;
    right[0] = 1e9;
    right[changed] += 1e-3;
    comparison->keep_theirs();
    right = solution;
    right[0] = 1e9;
    EXPECT_EQ(comparison->residual() <= comparison->bound(), changed == 0);
    right = solution;
  }
}

TEST(Comparison, finds_factors_wrong_that_make_another_matrix) {
  std::vector<double> a = drawn(5);
  for (std::int64_t k = 0; k < order; ++k) a[static_cast<std::size_t>(k * (order + 1))] += 20;
  std::int32_t info = 0;
  WholeCall<double> call;
  call.task = Task::potrf;
  call.uplo = 'L';
  call.n = order;
  call.a = a.data();
  call.lda = order;
  call.info = &info;
  const std::vector<double> given = a;
  for (const double change : {0.0, 1e-3}) {
    const auto comparison = compare_whole(call);
    a[3] += change;
    comparison->keep_theirs();
    EXPECT_EQ(a, given);
    EXPECT_EQ(comparison->residual() > comparison->bound(), change > 0);
  }
}

/// The residual of a result "there" with `there` as element 7, and its own one "here".
double residual_at_7(const std::unique_ptr<Comparison>& comparison, std::vector<double>& result,
                     double there) {
  const std::vector<double> ours = result;
  result[7] = there;
  comparison->keep_theirs();
  result = ours;
  return comparison->residual();
}

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double not_finite[] = {infinite, std::numeric_limits<double>::quiet_NaN()};

/// The matrix would make numbers that are not finite of the difference.
TEST(Comparison, finds_solutions_wrong_that_are_not_finite) {
  std::vector<double> matrix(count, 1), solution = drawn(7);
  for (std::int64_t k = 0; k < order; ++k) matrix[static_cast<std::size_t>(k * (order + 1))] = 4;
  Call<double> triangle{.form = Form::trsm, .m = order, .n = order, .alpha = 1};
  triangle.a = matrix.data();
  triangle.lda = triangle.ldc = order;
  triangle.c = solution.data();
  std::vector<std::int32_t> pivots(order);
  for (std::size_t k = 0; k < pivots.size(); ++k) pivots[k] = static_cast<std::int32_t>(k + 1);
  std::int32_t info = 0;
  WholeCall<double> call{.uplo = 'L', .m = order, .n = order, .k = order};
  call.a = matrix.data();
  call.b = solution.data();
  call.lda = call.ldb = order;
  call.pivots = pivots.data();
  call.info = &info;
  for (const double there : not_finite) {
    EXPECT_EQ(residual_at_7(compare_level3(triangle), solution, there), infinite);
    for (const Task task : {Task::gesv, Task::getrs, Task::posv, Task::potrs, Task::gels}) {
      call.task = task;
      EXPECT_EQ(residual_at_7(compare_whole(call), solution, there), infinite)
          << static_cast<int>(task);
    }
    for (const Task task : {Task::getri, Task::potri}) {
      call.task = task;
      EXPECT_EQ(residual_at_7(compare_whole(call), matrix, there), infinite)
          << static_cast<int>(task);
    }
  }
  // Finite, but the matrix makes more of it than a number holds.
  call.task = Task::gesv;
  EXPECT_EQ(residual_at_7(compare_whole(call), solution, 1e308), infinite);
}

TEST(Comparison, finds_values_and_vectors_wrong_that_are_not_finite) {
  std::vector<double> matrix(count), vectors(count), values(order, 1), imaginary(order);
  for (std::int64_t k = 0; k < order; ++k) matrix[static_cast<std::size_t>(k * (order + 1))] = 1;
  vectors = matrix;
  std::int32_t info = 0;
  WholeCall<double> call{.n = order};
  call.a = matrix.data();
  call.lda = order;
  call.values = values.data();
  call.imaginary = imaginary.data();
  call.info = &info;
  for (const double there : not_finite) {
    call.task = Task::syev;
    EXPECT_EQ(residual_at_7(compare_whole(call), values, there), infinite);
    call.task = Task::geev;
    call.job_vt = 'V';
    call.vt = vectors.data();
    call.ldvt = order;
    EXPECT_EQ(residual_at_7(compare_whole(call), vectors, there), infinite);
    EXPECT_EQ(residual_at_7(compare_whole(call), values, there), infinite);
  }
}

TEST(Comparison, finds_equal_what_is_finite_in_neither) {
  std::vector<double> matrix = drawn(8), solution = drawn(9);
  matrix[0] = matrix[20] = solution[7] = std::numeric_limits<double>::quiet_NaN();
  std::int32_t info = 0;
  std::vector<std::int32_t> pivots(order, 1);
  WholeCall<double> call{.task = Task::gesv, .n = order, .k = order};
  call.a = matrix.data();
  call.b = solution.data();
  call.lda = call.ldb = order;
  call.pivots = pivots.data();
  call.info = &info;
  EXPECT_LE(residual_at_7(compare_whole(call), solution, infinite), 30);
}

TEST(Comparison, finds_another_info_wrong) {
  std::vector<double> a = drawn(6);
  std::int32_t info = 2;
  WholeCall<double> call;
  call.task = Task::potrf;
  call.n = order;
  call.a = a.data();
  call.lda = order;
  call.info = &info;
  const auto comparison = compare_whole(call);
  comparison->keep_theirs();
  info = 3;
  EXPECT_GT(comparison->residual(), comparison->bound());
}

TEST(Comparison, takes_transforms_as_they_lie) {
  std::vector<std::complex<double>> data(16, {1, 0});
  const auto before = data;
  Transform transform;
  transform.transformed = {{4, 2, 2}};
  transform.batch = {{2, 8, 8}};
  const auto comparison =
      compare_transform<double>(transform, {data.data(), nullptr, data.data(), nullptr});
  data[0] = {4, 0};
  comparison->keep_theirs();
  EXPECT_EQ(data, before);
  data[0] = {4, 0};
  data[1] = {9, 0};  // between the elements: unused
  EXPECT_EQ(comparison->residual(), 0);
  data[2] = {1 + 1e-9, 0};
  EXPECT_GT(comparison->residual(), comparison->bound());
}

}  // namespace
}  // namespace blockyard::blas
