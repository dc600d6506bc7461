// SPDX-License-Identifier: Apache-2.0
/// Eigenvalues and singular values: vectors belong to their values, factors give the matrix.
#include "tests/offload/lapack_checks.h"

extern "C" {
void sgesvd_();
void dgesvd_();
void cgesvd_();
void zgesvd_();
void sgesdd_();
void dgesdd_();
void cgesdd_();
void zgesdd_();
void ssyev_();
void dsyev_();
void cheev_();
void zheev_();
void ssyevd_();
void dsyevd_();
void cheevd_();
void zheevd_();
void ssyevr_();
void dsyevr_();
void cheevr_();
void zheevr_();
void sgeev_();
void dgeev_();
void cgeev_();
void zgeev_();
}

namespace caller {

namespace {

/// Makes `a` Hermitian; `stored` gets the triangle that a routine may read, and NaN elsewhere.
template <class T>
void make_hermitian(const Matrix<T>& a, char uplo, const Matrix<T>& stored) {
  const int n = a.columns();
  for (int j = 0; j < n; ++j)
    for (int i = 0; i <= j; ++i) {
      if (i == j) a(i, j) = T(std::real(a(i, j)));
      a(j, i) = conjugated(a(i, j));
    }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      stored(i, j) = (uplo == 'U' ? i <= j : i >= j)
                         ? a(i, j)
                         : T(std::numeric_limits<RealOf<T>>::quiet_NaN());
}

/// The sum of all eigenvalues against the trace, and a v - v d where there are vectors.
template <class T>
double spectrum_error(const Matrix<T>& a, const std::vector<RealOf<T>>& values, const Matrix<T>& v,
                      bool has_vectors) {
  const int n = a.columns();
  double trace = 0, sum = 0;
  for (int i = 0; i < n; ++i) trace += std::real(a(i, i)), sum += values[i];
  const double error = std::abs(trace - sum);
  if (!has_vectors) return error;
  const auto scaled = matrix<T>(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) scaled(i, j) = values[j] * v(i, j);
  return std::max(error, residual(a, 'N', v, scaled));
}

template <class T>
void check_eigenvalues(int n, char job, char uplo, bool divides) {
  const auto a = matrix<T>(n, n), v = matrix<T>(n, n);
  make_hermitian(a, uplo, v);
  std::vector<RealOf<T>> values(n), rwork(10 + 5 * n + 2 * n * n);
  std::vector<T> work(10 + 40 * n + 2 * n * n);
  std::vector<int> iwork(3 + 5 * n);
  const bool is_long = job == 'V';
  const int shortest = !divides        ? (is_complex<T> ? 2 : 3) * n - 1
                       : is_complex<T> ? (is_long ? 2 * n + n * n : n + 1)
                                       : (is_long ? 1 + 6 * n + 2 * n * n : 2 * n + 1);
  const int ld = v.leading(), length = length_of(work, shortest),
            real_length = length_of(rwork, is_long ? 1 + 5 * n + 2 * n * n : n),
            integers = length_of(iwork, is_long ? 3 + 5 * n : 1);
  int info = -7;
  const Routine routine = divides ? choose<T>(ssyevd_, dsyevd_, cheevd_, zheevd_)
                                  : choose<T>(ssyev_, dsyev_, cheev_, zheev_);
  if (divides && is_complex<T>)
    call(routine, &job, &uplo, &n, v.data(), &ld, values.data(), work.data(), &length, rwork.data(),
         &real_length, iwork.data(), &integers, &info, one, one);
  else if (divides)
    call(routine, &job, &uplo, &n, v.data(), &ld, values.data(), work.data(), &length, iwork.data(),
         &integers, &info, one, one);
  else if (is_complex<T>)
    call(routine, &job, &uplo, &n, v.data(), &ld, values.data(), work.data(), &length, rwork.data(),
         &info, one, one);
  else
    call(routine, &job, &uplo, &n, v.data(), &ld, values.data(), work.data(), &length, &info, one,
         one);
  const double error = spectrum_error(a, values, v, job == 'V');
  judge<T>(divides ? "syevd" : "syev", n, error,
           info == 0 && std::is_sorted(values.begin(), values.end()));
}

/// u s vt against the matrix, where both are there; else the sum of squares.
template <class T>
void check_singular_values(int m, int n, char job, char job_vt, bool divides) {
  const int least = std::min(m, n);
  const auto a = matrix<T>(m, n), f = matrix<T>(m, n), u = matrix<T>(m, least),
             vt = matrix<T>(least, n);
  copy(a, f);
  std::vector<RealOf<T>> values(least), rwork(20 * (m + n) * (m + n));
  std::vector<T> work(40 * (m + n) * (m + n));
  std::vector<int> iwork(8 * least);
  const int most = std::max(m, n), square = least * least;
  const int shortest =
      !divides        ? (is_complex<T> ? 2 * least + most : std::max(3 * least + most, 5 * least))
      : is_complex<T> ? (job == 'N'   ? 2 * least + most
                         : job == 'S' ? square + 3 * least
                                      : square + 2 * least + most)
                      : (job == 'N'   ? 3 * least + std::max(most, 7 * least)
                         : job == 'S' ? 4 * square + 7 * least
                                      : 4 * square + 6 * least + most);
  const int lda = f.leading(), ldu = u.leading(), ldvt = vt.leading(),
            length = length_of(work, shortest);
  int info = -7;
  const Routine routine = divides ? choose<T>(sgesdd_, dgesdd_, cgesdd_, zgesdd_)
                                  : choose<T>(sgesvd_, dgesvd_, cgesvd_, zgesvd_);
  if (divides && is_complex<T>)
    call(routine, &job, &m, &n, f.data(), &lda, values.data(), u.data(), &ldu, vt.data(), &ldvt,
         work.data(), &length, rwork.data(), iwork.data(), &info, one);
  else if (divides)
    call(routine, &job, &m, &n, f.data(), &lda, values.data(), u.data(), &ldu, vt.data(), &ldvt,
         work.data(), &length, iwork.data(), &info, one);
  else if (is_complex<T>)
    call(routine, &job, &job_vt, &m, &n, f.data(), &lda, values.data(), u.data(), &ldu, vt.data(),
         &ldvt, work.data(), &length, rwork.data(), &info, one, one);
  else
    call(routine, &job, &job_vt, &m, &n, f.data(), &lda, values.data(), u.data(), &ldu, vt.data(),
         &ldvt, work.data(), &length, &info, one, one);
  double squares = 0, sum = 0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) squares += std::norm(a(i, j));
  for (const auto value : values) sum += double(value) * value;
  double error = std::abs(squares - sum) / std::max(m, n);
  if (divides) job_vt = job;
  if (job != 'N' && job_vt != 'N') {
    if (job == 'O') copy(f, u);
    if (job_vt == 'O') copy(f, vt);
    for (int j = 0; j < least; ++j)
      for (int i = 0; i < m; ++i) u(i, j) *= values[j];
    error = std::max(error, residual(u, 'N', vt, a));
  }
  judge<T>(divides ? "gesdd" : "gesvd", m + n, error, info == 0);
}

template <class T>
void check_all_eigenvalues(int n, char job, char uplo, char range) {
  const auto a = matrix<T>(n, n), f = matrix<T>(n, n), v = matrix<T>(n, n);
  make_hermitian(a, uplo, f);
  std::vector<RealOf<T>> values(n), rwork(100 * n);
  std::vector<T> work(100 * n);
  std::vector<int> iwork(100 * n), support(2 * n);
  const int ld = f.leading(), ldz = v.leading(), first = 2, last = 4,
            length = length_of(work, (is_complex<T> ? 2 : 26) * n),
            real_length = length_of(rwork, 24 * n), integers = length_of(iwork, 10 * n);
  const RealOf<T> low = 0, high = 0, tolerance = 0;
  int info = -7, found = 0;
  const Routine routine = choose<T>(ssyevr_, dsyevr_, cheevr_, zheevr_);
  if (is_complex<T>)
    call(routine, &job, &range, &uplo, &n, f.data(), &ld, &low, &high, &first, &last, &tolerance,
         &found, values.data(), v.data(), &ldz, support.data(), work.data(), &length, rwork.data(),
         &real_length, iwork.data(), &integers, &info, one, one, one);
  else
    call(routine, &job, &range, &uplo, &n, f.data(), &ld, &low, &high, &first, &last, &tolerance,
         &found, values.data(), v.data(), &ldz, support.data(), work.data(), &length, iwork.data(),
         &integers, &info, one, one, one);
  const bool is_all = range == 'A';
  const double error = is_all ? spectrum_error(a, values, v, job == 'V') : 0;
  judge<T>("syevr", n, error,
           info == 0 && found == (is_all ? n : last - first + 1) &&
               std::is_sorted(values.begin(), values.begin() + found) &&
               (job == 'N' || !is_all || (support[0] >= 1 && support[1] <= n)));
}

/// A v = v d and u^H A = d u^H, for real matrices with vectors in pairs; else the trace.
template <class T>
void check_general_eigenvalues(int n, char job_left, char job_right) {
  const auto a = matrix<T>(n, n), f = matrix<T>(n, n), u = matrix<T>(n, n), v = matrix<T>(n, n);
  copy(a, f);
  std::vector<T> w(2 * n), work(10000);
  std::vector<RealOf<T>> rwork(2 * n);
  const bool has_vectors = job_left != 'N' || job_right != 'N';
  const int ld = f.leading(), ldu = u.leading(), ldv = v.leading(),
            length = length_of(work, (is_complex<T> ? 2
                                      : has_vectors ? 4
                                                    : 3) *
                                         n);
  int info = -7;
  const Routine routine = choose<T>(sgeev_, dgeev_, cgeev_, zgeev_);
  if (is_complex<T>)
    call(routine, &job_left, &job_right, &n, f.data(), &ld, w.data(), u.data(), &ldu, v.data(),
         &ldv, work.data(), &length, rwork.data(), &info, one, one);
  else
    call(routine, &job_left, &job_right, &n, f.data(), &ld, w.data(), w.data() + n, u.data(), &ldu,
         v.data(), &ldv, work.data(), &length, &info, one, one);
  std::vector<c128> values;
  c128 sum = 0;
  for (int k = 0; k < n; ++k) {
    if constexpr (is_complex<T>)
      values.emplace_back(w[k]);
    else
      values.emplace_back(w[k], w[n + k]);
    sum += values.back() - c128(a(k, k));
  }
  double worst = std::abs(sum);
  for (const bool is_left : {true, false}) {
    if ((is_left ? job_left : job_right) == 'N') continue;
    const auto& all = is_left ? u : v;
    for (int k = 0; k < n; ++k) {
      const bool has_pair = !is_complex<T> && values[k].imag() > 0;
      std::vector<c128> vector;
      for (int i = 0; i < n; ++i)
        vector.push_back(has_pair ? c128(std::real(all(i, k)), std::real(all(i, k + 1)))
                                  : c128(all(i, k)));
      for (int i = 0; i < n; ++i) {
        c128 apart = -(is_left ? std::conj(values[k]) : values[k]) * vector[i];
        for (int j = 0; j < n; ++j)
          apart += c128(is_left ? conjugated(a(j, i)) : a(i, j)) * vector[j];
        worst = std::max(worst, std::abs(apart));
      }
      k += has_pair ? 1 : 0;
    }
  }
  judge<T>("geev", n, worst, info == 0);
}

}  // namespace

template <class T>
void check_spectra() {
  for (const char uplo : {'U', 'L'})
    for (const char job : {'V', 'N'}) check_all_eigenvalues<T>(14, job, uplo, 'A');
  check_all_eigenvalues<T>(14, 'V', 'U', 'I');
  check_general_eigenvalues<T>(12, 'V', 'V');
  check_general_eigenvalues<T>(12, 'N', 'V');
  check_general_eigenvalues<T>(12, 'N', 'N');
  for (const auto& [m, n] : {std::pair(20, 13), std::pair(13, 20), std::pair(1, 1)})
    for (const bool divides : {false, true})
      for (const char job : {'S', 'N'}) check_singular_values<T>(m, n, job, job, divides);
  check_singular_values<T>(9, 9, 'A', 'A', false);
  check_singular_values<T>(9, 9, 'A', 'A', true);
  check_singular_values<T>(12, 7, 'O', 'S', false);
  check_singular_values<T>(7, 12, 'S', 'O', false);
  for (const char uplo : {'U', 'L'})
    for (const char job : {'V', 'N'})
      for (const bool divides : {false, true}) check_eigenvalues<T>(14, job, uplo, divides);
}

template void check_spectra<float>();
template void check_spectra<double>();
template void check_spectra<c64>();
template void check_spectra<c128>();

}  // namespace caller
