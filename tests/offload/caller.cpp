// SPDX-License-Identifier: Apache-2.0
// A program with calls of BLAS: products of many shapes through the Fortran and the C names,
// compared with plain loops. It writes into guard elements between the columns of the result, and
// finds them as they were.
//
// Usage: offload_caller [fork COUNT]
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

using c64 = std::complex<float>;
using c128 = std::complex<double>;

extern "C" {
void sgemm_(const char*, const char*, const int*, const int*, const int*, const void*, const void*,
            const int*, const void*, const int*, const void*, void*, const int*, std::size_t,
            std::size_t);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const void*, const void*,
            const int*, const void*, const int*, const void*, void*, const int*, std::size_t,
            std::size_t);
void cgemm_(const char*, const char*, const int*, const int*, const int*, const void*, const void*,
            const int*, const void*, const int*, const void*, void*, const int*, std::size_t,
            std::size_t);
void zgemm_(const char*, const char*, const int*, const int*, const int*, const void*, const void*,
            const int*, const void*, const int*, const void*, void*, const int*, std::size_t,
            std::size_t);
void cblas_dgemm(int, int, int, int, int, int, double, const void*, int, const void*, int, double,
                 void*, int);
void cblas_zgemm(int, int, int, int, int, int, const void*, const void*, int, const void*, int,
                 const void*, void*, int);
}

namespace {

template <class T>
auto fortran() {
  if constexpr (std::is_same_v<T, float>)
    return sgemm_;
  else if constexpr (std::is_same_v<T, double>)
    return dgemm_;
  else if constexpr (std::is_same_v<T, c64>)
    return cgemm_;
  else
    return zgemm_;
}

std::uint64_t state = 1;
double draw() {
  state = state * 6364136223846793005U + 1442695040888963407U;
  return static_cast<double>(state >> 40) / (1 << 24) - 0.5;
}
template <class T>
T draw_as() {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(draw());
  else
    return {static_cast<typename T::value_type>(draw()),
            static_cast<typename T::value_type>(draw())};
}

template <class T>
T conjugated(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return value;
  else
    return std::conj(value);
}
template <class T>
T at(const std::vector<T>& matrix, int leading, char op, int row, int column) {
  if (op == 'N') return matrix[std::size_t(column) * leading + row];
  const T value = matrix[std::size_t(row) * leading + column];
  return op == 'C' ? conjugated(value) : value;
}

int failures = 0;

/// One product; gap: elements between columns. by_c: through the CBLAS name, row-major.
template <class T>
void check(char op_a, char op_b, int m, int n, int k, T alpha, T beta, int gap, bool by_c) {
  using Real = decltype(std::abs(T{}));
  const int lda = (op_a == 'N' ? m : k) + gap, ldb = (op_b == 'N' ? k : n) + gap, ldc = m + gap;
  const auto fill = [](std::size_t count) {
    std::vector<T> values(count);
    for (T& value : values) value = draw_as<T>();
    return values;
  };
  const auto a = fill(std::size_t(lda) * (op_a == 'N' ? k : m));
  const auto b = fill(std::size_t(ldb) * (op_b == 'N' ? n : k));
  auto c = fill(std::size_t(ldc) * n);
  if (beta == T{})
    for (T& value : c) value = std::numeric_limits<Real>::quiet_NaN();
  const auto before = c;
  if (!by_c) {
    fortran<T>()(&op_a, &op_b, &m, &n, &k, &alpha, a.data(), &lda, b.data(), &ldb, &beta, c.data(),
                 &ldc, 1, 1);
  } else {  // row-major: the transposed result of the operands the other way round
    const auto number = [](char op) { return op == 'N' ? 111 : op == 'T' ? 112 : 113; };
    if constexpr (std::is_same_v<T, double>)
      cblas_dgemm(101, number(op_b), number(op_a), n, m, k, alpha, b.data(), ldb, a.data(), lda,
                  beta, c.data(), ldc);
    else if constexpr (std::is_same_v<T, c128>)
      cblas_zgemm(101, number(op_b), number(op_a), n, m, k, &alpha, b.data(), ldb, a.data(), lda,
                  &beta, c.data(), ldc);
  }
  const double bound = 16.0 * (k + 2) * std::numeric_limits<Real>::epsilon();
  double worst = 0;
  bool has_kept = true;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < ldc; ++i) {
      const std::size_t place = std::size_t(j) * ldc + i;
      if (i >= m) {
        has_kept = has_kept && std::memcmp(&c[place], &before[place], sizeof(T)) == 0;
        continue;
      }
      T sum{};
      for (int l = 0; l < k; ++l) sum += at(a, lda, op_a, i, l) * at(b, ldb, op_b, l, j);
      T expected = alpha * sum;
      if (beta != T{}) expected += beta * before[place];
      const double error = std::abs(c[place] - expected);
      worst = std::isnan(error) ? 1e300 : std::max(worst, error);
    }
  if (worst <= bound && has_kept) return;
  ++failures;
  std::printf("%zu bytes %c%c %d x %d x %d gap %d %s: error %g%s\n", sizeof(T), op_a, op_b, m, n, k,
              gap, by_c ? "cblas" : "fortran", worst, has_kept ? "" : ", wrote outside the result");
}

template <class T>
void check_all(bool has_c) {
  for (const char op_a : {'N', 'T', 'C'})
    for (const char op_b : {'N', 'T', 'C'})
      for (const int gap : {0, 3}) {
        check<T>(op_a, op_b, 17, 23, 31, T(0.7), T(0), gap, false);
        check<T>(op_a, op_b, 5, 300, 2, T(1), T(-1.5), gap, false);
        if (has_c) check<T>(op_a, op_b, 40, 9, 12, T(-1), T(0.5), gap, true);
      }
  check<T>('N', 'N', 1, 1, 1, T(2), T(0), 0, false);
  check<T>('N', 'T', 128, 700, 96, T(1), T(1), 1, false);
}

}  // namespace

int main(int count, char** words) {
  check_all<float>(false);
  check_all<double>(true);
  check_all<c64>(false);
  check_all<c128>(true);
  if (count > 1 && std::string(words[1]) == "fork") {
    for (int left = count > 2 ? std::atoi(words[2]) : 1; left > 0; --left) {
      const pid_t child = fork();
      if (child == 0 || left % 10 == 0) check<double>('N', 'N', 30, 30, 30, 1.0, 0.0, 0, false);
      if (child == 0) _exit(failures == 0 ? 0 : 1);
      int status = 1;
      waitpid(child, &status, 0);
      if (status != 0) ++failures;
    }
  }
  std::printf("%d wrong\n", failures);
  return failures == 0 ? 0 : 1;
}
