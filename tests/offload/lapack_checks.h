// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "tests/offload/guarded.h"

/// What the tests of LAPACK's routines share.
namespace caller {

extern int failures, calls;
extern Numbers numbers;
extern bool takes_shortest;
constexpr std::size_t one = 1;

/// Kernels of OpenBLAS read some elements past the last one.
template <class T>
Matrix<T> matrix(int rows, int columns) {
  return {rows, columns, 2, false, numbers, 64};
}
template <class T>
void copy(const Matrix<T>& from, const Matrix<T>& to) {
  for (int j = 0; j < to.columns(); ++j)
    for (int i = 0; i < to.rows(); ++i) to(i, j) = from(i, j);
}

/// What a call is told of a workspace's length: all of it or, where the shortest are tested, the
/// least that the routine's page asks for.
template <class T>
int length_of(const std::vector<T>& workspace, int shortest) {
  return takes_shortest ? shortest : static_cast<int>(workspace.size());
}

/// What a test found; the larger the matrix the larger it may be.
template <class T>
void judge(const char* what, int n, double error, bool holds = true) {
  ++calls;
  const double bound = 30.0 * n * static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon());
  if (error <= bound && holds) return;
  ++failures;
  std::printf("%zu bytes %s: error %g, at most %g%s\n", sizeof(T), what, error, bound,
              holds ? "" : ", and something else is wrong");
}

/// The largest element of op(a) b - c.
template <class T>
double residual(const Matrix<T>& a, char op, const Matrix<T>& b, const Matrix<T>& c) {
  double worst = 0;
  const int depth = op == 'N' ? a.columns() : a.rows();
  for (int j = 0; j < c.columns(); ++j)
    for (int i = 0; i < c.rows(); ++i) {
      T sum = -c(i, j);
      for (int k = 0; k < depth; ++k) {
        const T x = op == 'N' ? a(i, k) : op == 'T' ? a(k, i) : conjugated(a(k, i));
        sum += x * b(k, j);
      }
      const double error = std::abs(sum);
      worst = std::isnan(error) ? 1e300 : std::max(worst, error);
    }
  return worst;
}

/// Tests of eigenvalues and singular values, in all forms.
template <class T>
void check_spectra();

}  // namespace caller
