// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/host/lapack.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "blockyard/base/error.h"
#include "blockyard/device/host/slack.h"
#include "blockyard/device/host/workspaces.h"

// Without their arguments, which differ between the element types: `call` gives them.
extern "C" {
void strsm_();
void dtrsm_();
void ctrsm_();
void ztrsm_();
void sgetrf_();
void dgetrf_();
void cgetrf_();
void zgetrf_();
void spotrf_();
void dpotrf_();
void cpotrf_();
void zpotrf_();
void sgeqrf_();
void dgeqrf_();
void cgeqrf_();
void zgeqrf_();
void sormqr_();
void dormqr_();
void cunmqr_();
void zunmqr_();
void ssyevd_();
void dsyevd_();
void cheevd_();
void zheevd_();
void sgesdd_();
void dgesdd_();
void cgesdd_();
void zgesdd_();
void sgeev_();
void dgeev_();
void cgeev_();
void zgeev_();
}

namespace blockyard::device::host {

namespace {

using c64 = std::complex<float>;
using c128 = std::complex<double>;
using Routine = void (*)();

/// The one of a set for an element type.
template <class T>
Routine choose(Routine s, Routine d, Routine c, Routine z) noexcept {
  if (std::is_same_v<T, float>) return s;
  if (std::is_same_v<T, double>) return d;
  return std::is_same_v<T, c64> ? c : z;
}

template <class... Arguments>
void call(Routine routine, Arguments... arguments) {
  reinterpret_cast<void (*)(Arguments...)>(routine)(arguments...);
}

int checked(int info) {
  base::require(info >= 0, "arguments of LAPACK are right");
  return info;
}

template <class T>
constexpr bool is_complex = !std::is_floating_point_v<T>;

constexpr std::size_t one = 1;  // length of a character argument

}  // namespace

template <class T>
void Lapack<T>::trsm(char side, char uplo, char op, char diag, int m, int n, T alpha, const T* t,
                     T* b) {
  const int rows = side == 'L' ? m : n;
  call(choose<T>(strsm_, dtrsm_, ctrsm_, ztrsm_), &side, &uplo, &op, &diag, &m, &n, &alpha, t,
       &rows, b, &m, one, one, one, one);
}

template <class T>
int Lapack<T>::getrf(int m, int n, T* a, int* pivots) {
  int info = 0;
  call(choose<T>(sgetrf_, dgetrf_, cgetrf_, zgetrf_), &m, &n, a, &m, pivots, &info);
  return checked(info);
}

template <class T>
int Lapack<T>::potrf(char uplo, int n, T* a) {
  int info = 0;
  call(choose<T>(spotrf_, dpotrf_, cpotrf_, zpotrf_), &uplo, &n, a, &n, &info, one);
  return checked(info);
}

template <class T>
void Lapack<T>::geqrf(int m, int n, T* a, T* factors) {
  const Routine routine = choose<T>(sgeqrf_, dgeqrf_, cgeqrf_, zgeqrf_);
  int info = 0, length = -1;
  T first{};
  call(routine, &m, &n, a, &m, factors, &first, &length, &info);
  Workspace<T> work(static_cast<std::size_t>(length = length_of(first)));
  call(routine, &m, &n, a, &m, factors, work.data(), &length, &info);
  static_cast<void>(checked(info));
}

template <class T>
void Lapack<T>::ormqr(char side, char op, int m, int n, int k, const T* q, const T* factors, T* c) {
  const Routine routine = choose<T>(sormqr_, dormqr_, cunmqr_, zunmqr_);
  const int rows = side == 'L' ? m : n;
  int info = 0, length = -1;
  T first{};
  call(routine, &side, &op, &m, &n, &k, q, &rows, factors, c, &m, &first, &length, &info, one, one);
  Workspace<T> work(static_cast<std::size_t>(length = length_of(first)));
  call(routine, &side, &op, &m, &n, &k, q, &rows, factors, c, &m, work.data(), &length, &info, one,
       one);
  static_cast<void>(checked(info));
}

template <class T>
int Lapack<T>::syevd(bool has_vectors, char uplo, int n, T* a, RealOf<T>* values) {
  const Routine routine = choose<T>(ssyevd_, dsyevd_, cheevd_, zheevd_);
  const char job = has_vectors ? 'V' : 'N';
  const Lengths shortest = syevd_lengths(is_complex<T>, has_vectors, n);
  int info = 0, length = -1, real_length = -1, integer_length = -1;
  Workspace<T> work(1);
  Workspace<RealOf<T>> real_work(1);
  Workspace<int> integers(1);
  for (const bool is_query : {true, false}) {
    if constexpr (is_complex<T>)
      call(routine, &job, &uplo, &n, a, &n, values, work.data(), &length, real_work.data(),
           &real_length, integers.data(), &integer_length, &info, one, one);
    else
      call(routine, &job, &uplo, &n, a, &n, values, work.data(), &length, integers.data(),
           &integer_length, &info, one, one);
    if (!is_query) break;
    work.resize(static_cast<std::size_t>(length = length_of(work[0], shortest.work)));
    real_work.resize(
        static_cast<std::size_t>(real_length = length_of(real_work[0], shortest.real)));
    integers.resize(
        static_cast<std::size_t>(integer_length = length_of(integers[0], shortest.integer)));
  }
  return info;
}

template <class T>
int Lapack<T>::gesdd(bool has_vectors, int m, int n, T* a, RealOf<T>* values, T* u, T* vt) {
  const Routine routine = choose<T>(sgesdd_, dgesdd_, cgesdd_, zgesdd_);
  const char job = has_vectors ? 'S' : 'N';
  const int least = std::min(m, n);
  const Lengths shortest = gesdd_lengths(is_complex<T>, has_vectors, m, n);
  int info = 0, length = -1;
  Workspace<T> work(1);
  Workspace<RealOf<T>> real_work(static_cast<std::size_t>(shortest.real));
  Workspace<int> integers(static_cast<std::size_t>(shortest.integer));
  for (const bool is_query : {true, false}) {
    if constexpr (is_complex<T>)
      call(routine, &job, &m, &n, a, &m, values, u, &m, vt, &least, work.data(), &length,
           real_work.data(), integers.data(), &info, one);
    else
      call(routine, &job, &m, &n, a, &m, values, u, &m, vt, &least, work.data(), &length,
           integers.data(), &info, one);
    if (is_query) work.resize(static_cast<std::size_t>(length = length_of(work[0], shortest.work)));
  }
  return info;
}

template <class T>
int Lapack<T>::geev(int n, T* a, T* values, T* left, T* right) {
  const Routine routine = choose<T>(sgeev_, dgeev_, cgeev_, zgeev_);
  const char job_left = left == nullptr ? 'N' : 'V', job_right = right == nullptr ? 'N' : 'V';
  int info = 0, length = -1;
  Workspace<T> work(1);
  Workspace<RealOf<T>> real_work(is_complex<T> ? 2 * static_cast<std::size_t>(n) : 1);
  for (const bool is_query : {true, false}) {
    if constexpr (is_complex<T>)
      call(routine, &job_left, &job_right, &n, a, &n, values, left, &n, right, &n, work.data(),
           &length, real_work.data(), &info, one, one);
    else
      call(routine, &job_left, &job_right, &n, a, &n, values, values + n, left, &n, right, &n,
           work.data(), &length, &info, one, one);
    if (is_query) work.resize(static_cast<std::size_t>(length = length_of(work[0])));
  }
  return info;
}

template struct Lapack<float>;
template struct Lapack<double>;
template struct Lapack<c64>;
template struct Lapack<c128>;

}  // namespace blockyard::device::host
