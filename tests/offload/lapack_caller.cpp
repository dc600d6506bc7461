// SPDX-License-Identifier: Apache-2.0
/// Calls routines of LAPACK and tests what they are for: factors give the matrix, solutions solve,
/// vectors belong to their values. A program that knows nothing of Blockyard.
#include "tests/offload/lapack_checks.h"

extern "C" {
void sgetrf_();
void dgetrf_();
void cgetrf_();
void zgetrf_();
void sgetrs_();
void dgetrs_();
void cgetrs_();
void zgetrs_();
void sgesv_();
void dgesv_();
void cgesv_();
void zgesv_();
void spotrf_();
void dpotrf_();
void cpotrf_();
void zpotrf_();
void spotrs_();
void dpotrs_();
void cpotrs_();
void zpotrs_();
void sposv_();
void dposv_();
void cposv_();
void zposv_();
void sgeqrf_();
void dgeqrf_();
void cgeqrf_();
void zgeqrf_();
void sormqr_();
void dormqr_();
void cunmqr_();
void zunmqr_();
void sorgqr_();
void dorgqr_();
void cungqr_();
void zungqr_();
void sgetri_();
void dgetri_();
void cgetri_();
void zgetri_();
void spotri_();
void dpotri_();
void cpotri_();
void zpotri_();
void sgels_();
void dgels_();
void cgels_();
void zgels_();
}

namespace caller {

int failures = 0, calls = 0;
Numbers numbers;
bool takes_shortest = false;

}  // namespace caller

namespace {

using namespace caller;

/// L U against the matrix with its rows exchanged.
template <class T>
void check_lu(int m, int n) {
  const auto a = matrix<T>(m, n), f = matrix<T>(m, n);
  copy(a, f);
  const int least = std::min(m, n), ld = f.leading();
  std::vector<int> pivots(least, 0);
  int info = -7;
  call(choose<T>(sgetrf_, dgetrf_, cgetrf_, zgetrf_), &m, &n, f.data(), &ld, pivots.data(), &info);
  for (int k = 0; k < least; ++k)
    for (int j = 0; j < n; ++j) std::swap(a(k, j), a(pivots[k] - 1, j));
  const auto lower = matrix<T>(m, least), upper = matrix<T>(least, n);
  for (int j = 0; j < least; ++j)
    for (int i = 0; i < m; ++i) lower(i, j) = i > j ? f(i, j) : T(RealOf<T>(i == j ? 1 : 0));
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < least; ++i) upper(i, j) = i <= j ? f(i, j) : T{};
  judge<T>("getrf", std::max(m, n), residual(lower, 'N', upper, a), info == 0);
}

template <class T>
void check_singular() {
  const auto a = matrix<T>(3, 3);
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) a(i, j) = T(RealOf<T>(i == 0 ? 1 : 0));
  const int n = 3, ld = a.leading(), k = 1;
  std::vector<int> pivots(3);
  const auto b = matrix<T>(3, 1), before = matrix<T>(3, 1);
  copy(b, before);
  const int ldb = b.leading();
  int info = 0;
  call(choose<T>(sgesv_, dgesv_, cgesv_, zgesv_), &n, &k, a.data(), &ld, pivots.data(), b.data(),
       &ldb, &info);
  judge<T>("gesv of a singular matrix", 3, 0, info == 2 && b(0, 0) == before(0, 0));
}

template <class T>
void check_solutions(int n, int k) {
  const auto a = matrix<T>(n, n), f = matrix<T>(n, n);
  for (int i = 0; i < n; ++i) a(i, i) += T(RealOf<T>(2));
  const auto b = matrix<T>(n, k), x = matrix<T>(n, k);
  copy(a, f), copy(b, x);
  std::vector<int> pivots(n);
  const int lda = f.leading(), ldb = x.leading();
  int info = -7;
  call(choose<T>(sgesv_, dgesv_, cgesv_, zgesv_), &n, &k, f.data(), &lda, pivots.data(), x.data(),
       &ldb, &info);
  judge<T>("gesv", n, residual(a, 'N', x, b), info == 0);
  for (const char op : {'N', 'T', 'C'}) {
    copy(b, x);
    call(choose<T>(sgetrs_, dgetrs_, cgetrs_, zgetrs_), &op, &n, &k, f.data(), &lda, pivots.data(),
         x.data(), &ldb, &info, one);
    judge<T>("getrs", n, residual(a, op, x, b), info == 0);
  }
}

/// The other triangle is NaN and must stay so.
template <class T>
void check_cholesky(int n, int k, char uplo) {
  const auto a = matrix<T>(n, n), f = matrix<T>(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i <= j; ++i) {
      a(j, i) = conjugated(a(i, j));
      if (i == j) a(i, j) = T(RealOf<T>(n) + std::real(a(i, j)));
    }
  const auto is_in = [&](int i, int j) { return uplo == 'U' ? i <= j : i >= j; };
  const auto reset = [&] {
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        f(i, j) = is_in(i, j) ? a(i, j) : T(std::numeric_limits<RealOf<T>>::quiet_NaN());
  };
  const auto b = matrix<T>(n, k), x = matrix<T>(n, k);
  const int lda = f.leading(), ldb = x.leading();
  int info = -7;
  reset();
  call(choose<T>(spotrf_, dpotrf_, cpotrf_, zpotrf_), &uplo, &n, f.data(), &lda, &info, one);
  bool is_kept = true;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      is_kept = is_kept && (is_in(i, j) || std::isnan(std::real(f(i, j))));
  copy(b, x);
  call(choose<T>(spotrs_, dpotrs_, cpotrs_, zpotrs_), &uplo, &n, &k, f.data(), &lda, x.data(), &ldb,
       &info, one);
  judge<T>("potrf and potrs", n, residual(a, 'N', x, b), info == 0 && is_kept);
  reset(), copy(b, x);
  call(choose<T>(sposv_, dposv_, cposv_, zposv_), &uplo, &n, &k, f.data(), &lda, x.data(), &ldb,
       &info, one);
  judge<T>("posv", n, residual(a, 'N', x, b), info == 0);
  reset();
  f(2, 2) = T(-1);
  call(choose<T>(spotrf_, dpotrf_, cpotrf_, zpotrf_), &uplo, &n, f.data(), &lda, &info, one);
  judge<T>("potrf of what is not positive", n, 0, info == 3);
}

/// Q adjoint times the matrix is R; and the same from the right, adjoint.
template <class T>
void check_qr(int m, int n) {
  const auto a = matrix<T>(m, n), f = matrix<T>(m, n);
  copy(a, f);
  const int least = std::min(m, n), ld = f.leading();
  std::vector<T> tau(least), work(10000);
  int length = -1, info = -7;
  call(choose<T>(sgeqrf_, dgeqrf_, cgeqrf_, zgeqrf_), &m, &n, f.data(), &ld, tau.data(),
       work.data(), &length, &info);
  const auto wanted = std::real(work[0]);
  length = length_of(work, n);
  call(choose<T>(sgeqrf_, dgeqrf_, cgeqrf_, zgeqrf_), &m, &n, f.data(), &ld, tau.data(),
       work.data(), &length, &info);
  const bool says_best = std::real(work[0]) >= 1 && std::real(work[0]) <= wanted;
  const char left = 'L', op = is_complex<T> ? 'C' : 'T';
  const int lda = a.leading();
  call(choose<T>(sormqr_, dormqr_, cunmqr_, zunmqr_), &left, &op, &m, &n, &least, f.data(), &ld,
       tau.data(), a.data(), &lda, work.data(), &length, &info, one, one);
  double worst = 0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i)
      worst = std::max(worst, double(std::abs(a(i, j) - (i <= j ? f(i, j) : T{}))));
  judge<T>("geqrf and ormqr", std::max(m, n), worst, info == 0 && says_best);
}

/// What ormqr makes of the columns of the identity; then R times Q is the matrix.
template <class T>
void check_generated(int m, int n) {
  const auto a = matrix<T>(m, n), q = matrix<T>(m, n), upper = matrix<T>(n, n);
  copy(a, q);
  std::vector<T> tau(n), work(10000);
  const int ld = q.leading(), length = length_of(work, n);
  int info = -7;
  call(choose<T>(sgeqrf_, dgeqrf_, cgeqrf_, zgeqrf_), &m, &n, q.data(), &ld, tau.data(),
       work.data(), &length, &info);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) upper(i, j) = i <= j ? q(i, j) : T{};
  call(choose<T>(sorgqr_, dorgqr_, cungqr_, zungqr_), &m, &n, &n, q.data(), &ld, tau.data(),
       work.data(), &length, &info);
  judge<T>("orgqr", m, residual(q, 'N', upper, a), info == 0 && std::real(work[0]) >= 1);
}

/// The matrix times its inverse, from factors of either kind; and one that has no inverse.
template <class T>
void check_inverses(int n) {
  const auto a = matrix<T>(n, n), f = matrix<T>(n, n), unit = matrix<T>(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      unit(i, j) = T(RealOf<T>(i == j ? 1 : 0));
      if (i == j) a(i, j) = T(std::real(a(i, j)) + RealOf<T>(n));
      if (i > j) a(i, j) = conjugated(a(j, i));
    }
  copy(a, f);
  std::vector<int> pivots(n);
  std::vector<T> work(10000);
  const int ld = f.leading(), length = length_of(work, n);
  int info = -7;
  call(choose<T>(sgetrf_, dgetrf_, cgetrf_, zgetrf_), &n, &n, f.data(), &ld, pivots.data(), &info);
  call(choose<T>(sgetri_, dgetri_, cgetri_, zgetri_), &n, f.data(), &ld, pivots.data(), work.data(),
       &length, &info);
  judge<T>("getri", n, residual(a, 'N', f, unit), info == 0);
  f(1, 1) = T{};
  for (int k = 0; k < n; ++k) pivots[k] = k + 1;
  call(choose<T>(sgetri_, dgetri_, cgetri_, zgetri_), &n, f.data(), &ld, pivots.data(), work.data(),
       &length, &info);
  judge<T>("getri of what has no inverse", n, 0, info == 2);
  for (const char uplo : {'U', 'L'}) {
    const auto is_in = [&](int i, int j) { return uplo == 'U' ? i <= j : i >= j; };
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        f(i, j) = is_in(i, j) ? a(i, j) : T(std::numeric_limits<RealOf<T>>::quiet_NaN());
    call(choose<T>(spotrf_, dpotrf_, cpotrf_, zpotrf_), &uplo, &n, f.data(), &ld, &info, one);
    call(choose<T>(spotri_, dpotri_, cpotri_, zpotri_), &uplo, &n, f.data(), &ld, &info, one);
    bool is_kept = true;  // and the diagonal real
    for (int j = 0; j < n; ++j) is_kept = is_kept && std::imag(f(j, j)) == 0;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        if (!is_in(i, j)) {
          is_kept = is_kept && std::isnan(std::real(f(i, j)));
          f(i, j) = conjugated(f(j, i));
        }
    judge<T>("potri", n, residual(a, 'N', f, unit), info == 0 && is_kept);
  }
}

/// What is left of the right sides is orthogonal to the columns, or there is nothing left and the
/// solution is one of the rows: then the matrix of the rows gives it.
template <class T>
void check_least_squares(int m, int n, int k, char op) {
  const auto a = matrix<T>(m, n), f = matrix<T>(m, n);
  copy(a, f);
  const bool turns = op != 'N';
  const int equations = turns ? n : m, unknowns = turns ? m : n, most = std::max(m, n),
            least = std::min(m, n);
  const auto b = matrix<T>(equations, k), x = matrix<T>(most, k), found = matrix<T>(unknowns, k);
  for (int j = 0; j < k; ++j)
    for (int i = 0; i < most; ++i)
      x(i, j) = i < equations ? b(i, j) : T(std::numeric_limits<RealOf<T>>::quiet_NaN());
  std::vector<T> work(10000);
  const int lda = f.leading(), ldb = x.leading(),
            length = length_of(work, least + std::max(least, k));
  int info = -7;
  call(choose<T>(sgels_, dgels_, cgels_, zgels_), &op, &m, &n, &k, f.data(), &lda, x.data(), &ldb,
       work.data(), &length, &info, one);
  for (int j = 0; j < k; ++j)
    for (int i = 0; i < unknowns; ++i) found(i, j) = x(i, j);
  const auto rest = matrix<T>(equations, k);
  const auto at = [&](int i, int j) { return turns ? conjugated(a(j, i)) : a(i, j); };
  double left = 0, lower = 0;
  for (int j = 0; j < k; ++j) {
    for (int i = 0; i < equations; ++i) {
      rest(i, j) = b(i, j);
      for (int l = 0; l < unknowns; ++l) rest(i, j) -= at(i, l) * found(l, j);
      left += std::norm(rest(i, j));
    }
    for (int i = unknowns; i < equations; ++i) lower += std::norm(x(i, j));
  }
  const auto none = matrix<T>(unknowns, k);
  for (int j = 0; j < k; ++j)
    for (int i = 0; i < unknowns; ++i) none(i, j) = T{};
  const char adjoint = turns ? 'N' : is_complex<T> ? 'C' : 'T';
  const double error = equations > unknowns
                           ? std::max(residual(a, adjoint, rest, none), std::abs(left - lower))
                           : std::sqrt(left);
  judge<T>(equations > unknowns ? "gels" : "gels with fewer equations", m + n, error, info == 0);
}

template <class T>
void check_all() {
  check_generated<T>(20, 13);
  check_inverses<T>(14);
  for (const auto& [m, n] : {std::pair(17, 9), std::pair(9, 17), std::pair(6, 6)})
    for (const char op : {'N', is_complex<T> ? 'C' : 'T'}) check_least_squares<T>(m, n, 3, op);
  for (const auto& [m, n] : {std::pair(20, 13), std::pair(13, 20), std::pair(1, 1)}) {
    check_lu<T>(m, n);
    check_qr<T>(m, n);
  }
  check_singular<T>();
  check_solutions<T>(17, 3);
  for (const char uplo : {'U', 'L'}) check_cholesky<T>(15, 4, uplo);
  check_spectra<T>();
}

/// Matrices of some hundred thousand bytes, for devices with less.
template <class T>
void check_large() {
  check_lu<T>(150, 130);
  check_lu<T>(140, 200);
  check_solutions<T>(150, 7);
  for (const char uplo : {'U', 'L'}) check_cholesky<T>(145, 9, uplo);
}

}  // namespace

/// Usage: lapack_caller [large|shortest]
int main(int count, char** words) {
  const std::string which = count > 1 ? words[1] : "";
  const bool is_large = which == "large";
  caller::takes_shortest = which == "shortest";
  return caller::run_all([is_large]<class T>() { is_large ? check_large<T>() : check_all<T>(); },
                         "tests", calls, failures);
}
