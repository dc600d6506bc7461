// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/sim/whole.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "blockyard/device/abi_cpp.h"
#include "blockyard/device/sim/fft.h"

namespace blockyard::device::sim {
namespace {

/// A dense matrix, first index fastest.
template <class T>
struct Matrix {
  T* at;
  std::int64_t rows, columns;
  T& operator()(std::int64_t i, std::int64_t j) const { return at[i + j * rows]; }
};

template <class T>
Matrix<T> matrix(std::byte* at, const blockyard_operand& operand) {
  return {reinterpret_cast<T*>(at), operand.extent[0], operand.extent[1]};
}

/// op(left) where the triangle is, by the flags.
template <class T>
struct Triangle {
  Matrix<const T> matrix;
  std::uint32_t flags;
  [[nodiscard]] bool is_upper() const {
    return ((flags & blockyard_upper) != 0) != ((flags & blockyard_transposed) != 0);
  }
  T operator()(std::int64_t i, std::int64_t j) const {
    if (i == j && (flags & blockyard_unit) != 0) return T(1);
    const T value = (flags & blockyard_transposed) != 0 ? matrix(j, i) : matrix(i, j);
    return conjugated(value, (flags & blockyard_conjugate_left) != 0);
  }
};

/// op(left) x = alpha b, one column after the other.
template <class T>
void solve_from_left(const Triangle<T>& t, T alpha, const Matrix<T>& b) {
  const std::int64_t n = b.rows;
  for (std::int64_t j = 0; j < b.columns; ++j)
    for (std::int64_t step = 0; step < n; ++step) {
      const std::int64_t i = t.is_upper() ? n - 1 - step : step;
      T sum = alpha * b(i, j);
      for (std::int64_t k = t.is_upper() ? i + 1 : 0; k < (t.is_upper() ? n : i); ++k)
        sum -= t(i, k) * b(k, j);
      b(i, j) = sum / t(i, i);
    }
}

/// x op(left) = alpha b, one row after the other.
template <class T>
void solve_from_right(const Triangle<T>& t, T alpha, const Matrix<T>& b) {
  const std::int64_t n = b.columns;
  for (std::int64_t i = 0; i < b.rows; ++i)
    for (std::int64_t step = 0; step < n; ++step) {
      const std::int64_t j = t.is_upper() ? step : n - 1 - step;
      T sum = alpha * b(i, j);
      for (std::int64_t k = t.is_upper() ? 0 : j + 1; k < (t.is_upper() ? j : n); ++k)
        sum -= b(i, k) * t(k, j);
      b(i, j) = sum / t(j, j);
    }
}

/// As LAPACK's getf2.
template <class T>
void factor_lu(const Matrix<T>& a, T* numbers) {
  const auto size = [](T value) { return std::abs(std::real(value)) + std::abs(std::imag(value)); };
  const std::int64_t least = std::min(a.rows, a.columns);
  std::int64_t info = 0;
  for (std::int64_t j = 0; j < least; ++j) {
    std::int64_t pivot = j;
    for (std::int64_t i = j + 1; i < a.rows; ++i)
      if (size(a(i, j)) > size(a(pivot, j))) pivot = i;
    numbers[j] = T(static_cast<decltype(std::real(T{}))>(pivot + 1));
    if (a(pivot, j) == T{}) {
      if (info == 0) info = j + 1;
      continue;
    }
    if (pivot != j)
      for (std::int64_t k = 0; k < a.columns; ++k) std::swap(a(j, k), a(pivot, k));
    for (std::int64_t i = j + 1; i < a.rows; ++i) {
      a(i, j) /= a(j, j);
      for (std::int64_t k = j + 1; k < a.columns; ++k) a(i, k) -= a(i, j) * a(j, k);
    }
  }
  numbers[least] = T(static_cast<decltype(std::real(T{}))>(info));
}

/// The lower triangle of L, or the upper one of its conjugated transpose.
template <class T>
void factor_cholesky(const Matrix<T>& a, bool is_upper, T* numbers) {
  const auto element = [&](std::int64_t i, std::int64_t j) -> T& {
    return is_upper ? a(j, i) : a(i, j);
  };
  numbers[0] = T{};
  for (std::int64_t j = 0; j < a.rows; ++j) {
    auto left = std::real(element(j, j));
    for (std::int64_t k = 0; k < j; ++k) left -= std::norm(element(j, k));
    if (!(left > 0)) {
      numbers[0] = T(static_cast<decltype(left)>(j + 1));
      return;
    }
    element(j, j) = T(std::sqrt(left));
    for (std::int64_t i = j + 1; i < a.rows; ++i) {
      T sum = element(i, j);
      for (std::int64_t k = 0; k < j; ++k) sum -= element(i, k) * conjugated(element(j, k));
      element(i, j) = sum / element(j, j);
    }
  }
}

template <class T>
void run_as(const blockyard_operation& operation, const double alpha[2], const Blocks& blocks) {
  const Matrix<T> result = matrix<T>(blocks.result, operation.result);
  const auto numbers = reinterpret_cast<T*>(blocks.right);
  if (operation.kind == BLOCKYARD_FACTOR) {
    if ((operation.flags & blockyard_cholesky) != 0)
      return factor_cholesky(result, (operation.flags & blockyard_upper) != 0, numbers);
    return factor_lu(result, numbers);
  }
  const Triangle<T> triangle{
      {reinterpret_cast<const T*>(blocks.left), operation.left.extent[0], operation.left.extent[1]},
      operation.flags};
  if ((operation.flags & blockyard_from_right) != 0)
    solve_from_right(triangle, number<T>(alpha), result);
  else
    solve_from_left(triangle, number<T>(alpha), result);
}

bool is_matrix(const blockyard_operand& operand) {
  return operand.order == 2 && operand.extent[0] > 0 && operand.extent[1] > 0;
}

}  // namespace

blockyard_status check_whole(const blockyard_operation& operation, const char** why) {
  if (operation.kind == BLOCKYARD_FFT) return check_fft(operation, why);
  *why = "this device does not know the operation";
  const std::uint32_t flags = operation.flags;
  const bool is_known = operation.kind == BLOCKYARD_SOLVE ||
                        (operation.kind == BLOCKYARD_FACTOR && (flags & blockyard_qr) == 0);
  if (!is_known || (flags & ~flags_of(operation.kind)) != 0) return BLOCKYARD_UNSUPPORTED;
  *why = "the operands do not fit the kind of the operation";
  const blockyard_operand &result = operation.result, &left = operation.left,
                          &right = operation.right;
  if (!is_matrix(result) || !is_matrix(left)) return BLOCKYARD_BAD_ARGUMENT;
  const std::int64_t rows = result.extent[0], columns = result.extent[1];
  if (operation.kind == BLOCKYARD_SOLVE) {
    const std::int64_t side = (flags & blockyard_from_right) != 0 ? columns : rows;
    return left.extent[0] == side && left.extent[1] == side ? BLOCKYARD_OK : BLOCKYARD_BAD_ARGUMENT;
  }
  const bool is_cholesky = (flags & blockyard_cholesky) != 0;
  const std::int64_t numbers = is_cholesky ? 1 : std::min(rows, columns) + 1;
  const bool fits = right.order == 1 && right.extent[0] == numbers;
  return fits && (!is_cholesky || rows == columns) ? BLOCKYARD_OK : BLOCKYARD_BAD_ARGUMENT;
}

void run_whole(const blockyard_operation& operation, const double alpha[2], const Blocks& blocks) {
  if (operation.kind == BLOCKYARD_FFT) return run_fft(operation, alpha[0], blocks);
  switch (operation.element) {
    case BLOCKYARD_F32:
      return run_as<float>(operation, alpha, blocks);
    case BLOCKYARD_F64:
      return run_as<double>(operation, alpha, blocks);
    case BLOCKYARD_C64:
      return run_as<std::complex<float>>(operation, alpha, blocks);
    default:
      return run_as<std::complex<double>>(operation, alpha, blocks);
  }
}

}  // namespace blockyard::device::sim
