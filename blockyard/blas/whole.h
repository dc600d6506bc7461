// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstdint>
#include <string>

#include "blockyard/blas/level3.h"

namespace blockyard::blas {

template <class T>
using RealOf = decltype(std::real(T{}));

/// Routines of LAPACK that go to a device as one unit. syev stands for heev, syevd for heevd, syevr
/// for heevr, ormqr for unmqr, orgqr for ungqr.
enum class Task : std::uint8_t {
  getrf,
  getrs,
  gesv,
  potrf,
  potrs,
  posv,
  geqrf,
  ormqr,
  syev,
  syevd,
  gesvd,
  gesdd,
  orgqr,
  getri,
  potri,
  gels,
  syevr,
  geev
};

/// A call of LAPACK, column-major, its arguments as the pages of the routines name them; `b` is
/// also the `c` of ormqr, `op` its `trans`, `k` the number of right sides or of reflectors. Of geev
/// `job`, `job_vt`, `u` and `vt` are jobvl, jobvr, vl and vr; of syevr `u` is z.
template <class T>
struct WholeCall {
  Task task = Task::getrf;
  char uplo = 'U', op = 'N', side = 'L';
  char job = 'N';     ///< jobz, jobu
  char range = 'A';   ///< of syevr
  char job_vt = 'N';  ///< of gesvd
  std::int64_t m = 0, n = 0, k = 0;
  T* a = nullptr;
  std::int64_t lda = 0;
  T* b = nullptr;
  std::int64_t ldb = 0;
  T* u = nullptr;
  std::int64_t ldu = 0;
  T* vt = nullptr;
  std::int64_t ldvt = 0;
  T* tau = nullptr;
  RealOf<T>* values = nullptr;
  RealOf<T>* imaginary = nullptr;  ///< of real geev, next to `values`
  T* complex_values = nullptr;     ///< of complex geev
  void* found = nullptr;           ///< of syevr: how many values
  void* support = nullptr;         ///< of syevr: isuppz
  void* ignored = nullptr;         ///< what says which values, where all are wanted
  void* pivots = nullptr;
  void* info = nullptr;
  T* work = nullptr;
  std::int64_t lwork = 0;
  RealOf<T>* rwork = nullptr;
  std::int64_t lrwork = 0;
  void* iwork = nullptr;
  std::int64_t liwork = 0;
  int width = 32;  ///< bits of the integers in `pivots`, `info` and `iwork`
};

/// Additions and multiplications of real numbers, roughly.
template <class T>
[[nodiscard]] double flops_of(const WholeCall<T>& call) noexcept;

/// Bytes that the call moves to a device and back.
template <class T>
[[nodiscard]] double moved_bytes(const WholeCall<T>& call) noexcept;

/// Device memory that the call takes as one, roughly.
template <class T>
[[nodiscard]] std::int64_t room_bytes(const WholeCall<T>& call) noexcept;

/// Whether the routine takes these arguments, there is something to compute, and devices may have
/// this form of it. Workspaces are not looked at.
template <class T>
[[nodiscard]] bool is_usual(const WholeCall<T>& call) noexcept;

/// Of singular values and eigenvalues: whether vectors are wanted.
template <class T>
[[nodiscard]] bool wants_vectors(const WholeCall<T>& call) noexcept;

}  // namespace blockyard::blas
