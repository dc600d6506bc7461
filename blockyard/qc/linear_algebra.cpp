// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/linear_algebra.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "blockyard/base/error.h"
#include "blockyard/qc/detail/lapack.h"

namespace blockyard::qc {
namespace {

/// n of a matrix of n*n values.
std::size_t order_of(std::span<const double> matrix) {
  const auto n = static_cast<std::size_t>(std::llround(std::sqrt(matrix.size())));
  base::require(n > 0 && n * n == matrix.size(), "a square matrix");
  return n;
}

void require_finite(std::span<const double> matrix) {
  if (!std::all_of(matrix.begin(), matrix.end(), [](double x) { return std::isfinite(x); }))
    throw base::Error(base::Errc::bad_input, "a matrix to diagonalise holds NaN or infinity");
}

void make_first_component_positive(std::span<double> vector) {
  const auto first =
      std::find_if(vector.begin(), vector.end(), [](double x) { return std::abs(x) > 1e-6; });
  if (first == vector.end() || *first > 0.0) return;
  for (double& x : vector) x = -x;
}

void set_diagonal(std::span<double> matrix, std::span<const double> values) {
  std::fill(matrix.begin(), matrix.end(), 0.0);
  for (std::size_t k = 0; k < values.size(); ++k) matrix[k * (values.size() + 1)] = values[k];
}

/// Number of leading rows of the upper triangle before the first wholly zero one.
std::size_t used_rows(std::span<const double> b, std::size_t n) {
  for (std::size_t row = 0; row < n; ++row) {
    bool zero = true;
    for (std::size_t k = 0; k < n; ++k)
      zero = zero && b[std::min(row, k) + std::max(row, k) * n] == 0.0;
    if (zero) return row;
  }
  return n;
}

/// Coefficients of the vectors first .. last - 1, or nothing if they are (nearly) dependent: an
/// exact zero pivot, or a coefficient whose rounding would spoil the sum. One vector always works.
std::vector<double> diis_coefficients(std::span<const double> b, std::size_t n, std::size_t first,
                                      std::size_t last) {
  constexpr double largest_coefficient = 1e3;
  const std::size_t count = last - first;
  if (count == 1) return {1.0};
  // The corner is 0, the border -1, the right-hand side (0, ..., 0, -1).
  const std::size_t order = count + 1;
  std::vector<double> system(order * order, -1.0);
  system[count + count * order] = 0.0;
  for (std::size_t j = 0; j < count; ++j)
    for (std::size_t i = 0; i <= j; ++i)
      system[i + j * order] = system[j + i * order] = b[first + i + (first + j) * n];
  std::vector<double> solution(order, 0.0);
  solution[count] = -1.0;
  const int rows = base::to_int(static_cast<Extent>(order));
  const int one = 1;
  std::vector<int> pivots(order);
  int info = 0;
  dgesv_(&rows, &one, system.data(), &rows, pivots.data(), solution.data(), &rows, &info);
  solution.resize(count);
  const bool sound = info == 0 && std::all_of(solution.begin(), solution.end(), [](double c) {
                       return std::abs(c) < largest_coefficient;
                     });
  return sound ? solution : std::vector<double>{};
}

void permute_columns(std::span<double> matrix, std::span<const std::size_t> order) {
  const std::vector<double> old(matrix.begin(), matrix.end());
  const std::size_t n = order.size();
  for (std::size_t k = 0; k < n; ++k)
    std::copy_n(old.begin() + static_cast<std::ptrdiff_t>(order[k] * n), n,
                matrix.begin() + static_cast<std::ptrdiff_t>(k * n));
}

}  // namespace

void symmetric_eigenpairs(std::span<double> matrix, std::span<double> values) {
  const std::size_t order = order_of(matrix);
  base::require(values.size() == order, "one eigenvalue for each column");
  require_finite(matrix);
  const int n = base::to_int(static_cast<Extent>(order));
  const int work_size = 34 * n;  // (block size 32 + 2) n, as LAPACK advises
  std::vector<double> work(static_cast<std::size_t>(work_size));
  int info = 0;
  dsyev_("V", "U", &n, matrix.data(), &n, values.data(), work.data(), &work_size, &info);
  base::require(info == 0, "dsyev converges");
  for (std::size_t k = 0; k < order; ++k)
    make_first_component_positive(matrix.subspan(k * order, order));
}

void eigen_calc(std::span<double> a, std::span<double> b) {
  base::require(a.size() == b.size(), "as many eigenvectors as the matrix has columns");
  std::copy(a.begin(), a.end(), b.begin());
  std::vector<double> values(order_of(a));
  symmetric_eigenpairs(b, values);
  set_diagonal(a, values);
}

Extent eigen_calc_sqr_inv(std::span<double> a, std::span<double> b, double tolerance) {
  base::require(a.size() == b.size(), "as many eigenvectors as the matrix has columns");
  std::copy(a.begin(), a.end(), b.begin());
  std::vector<double> values(order_of(a));
  symmetric_eigenpairs(b, values);
  const auto dropped = std::partition_point(values.begin(), values.end(),
                                            [&](double value) { return value < tolerance; }) -
                       values.begin();
  const auto n = static_cast<std::ptrdiff_t>(values.size());
  std::rotate(b.begin(), b.begin() + dropped * n, b.end());
  std::fill(b.end() - dropped * n, b.end(), 0.0);
  std::rotate(values.begin(), values.begin() + dropped, values.end());
  std::transform(values.begin(), values.end() - dropped, values.begin(),
                 [](double value) { return 1.0 / std::sqrt(value); });
  std::fill(values.end() - dropped, values.end(), 0.0);
  set_diagonal(a, values);
  return dropped;
}

void compute_diis(std::span<double> b) {
  const std::size_t n = order_of(b);
  const std::size_t used = used_rows(b, n);
  if (used == 0) throw base::Error(base::Errc::bad_input, "DIIS without an error vector");
  std::size_t left_out = 0;
  std::vector<double> coefficients;
  while (coefficients.empty()) coefficients = diis_coefficients(b, n, left_out++, used);
  --left_out;
  for (std::size_t i = 0; i < n; ++i)
    b[i * (n + 1)] = i < left_out || i >= used ? 0.0 : coefficients[i - left_out];
}

void gen_eigen_calc(std::span<double> a, std::span<double> left, std::span<double> right,
                    std::span<double> values) {
  const std::size_t order = order_of(a);
  base::require(left.size() == a.size() && right.size() == a.size() && values.size() == order,
                "eigenvectors and values of the order of the matrix");
  require_finite(a);
  const int n = base::to_int(static_cast<Extent>(order));
  const int work_size = 34 * n;
  std::vector<double> work(static_cast<std::size_t>(work_size));
  std::vector<double> real(order);
  std::vector<double> imaginary(order);
  int info = 0;
  dgeev_("V", "V", &n, a.data(), &n, real.data(), imaginary.data(), left.data(), &n, right.data(),
         &n, work.data(), &work_size, &info);
  base::require(info == 0, "dgeev converges");
  const auto vanishes = [&](std::size_t k) { return std::hypot(real[k], imaginary[k]) < 1e-12; };
  std::vector<std::size_t> by_value(order);
  std::iota(by_value.begin(), by_value.end(), 0U);
  std::stable_sort(by_value.begin(), by_value.end(), [&](std::size_t i, std::size_t j) {
    if (vanishes(i) != vanishes(j)) return vanishes(j);
    return !vanishes(i) && real[i] < real[j];
  });
  permute_columns(left, by_value);
  permute_columns(right, by_value);
  for (std::size_t k = 0; k < order; ++k)
    values[k] = vanishes(by_value[k]) ? 0.0 : real[by_value[k]];
}

}  // namespace blockyard::qc
