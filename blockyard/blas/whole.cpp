// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/whole.h"

#include <algorithm>
#include <limits>
#include <string_view>

namespace blockyard::blas {

namespace {

bool is_one_of(char flag, std::string_view allowed) noexcept {
  return allowed.find(flag) != std::string_view::npos;
}

template <class T>
std::int64_t rows_of_a(const WholeCall<T>& call) noexcept {
  switch (call.task) {
    case Task::getrf:
    case Task::geqrf:
    case Task::gesvd:
    case Task::gesdd:
    case Task::orgqr:
    case Task::gels:
      return call.m;
    case Task::ormqr:
      return call.side == 'L' ? call.m : call.n;
    default:
      return call.n;
  }
}

bool has_m(Task task) noexcept {
  return task == Task::getrf || task == Task::geqrf || task == Task::ormqr || task == Task::gesvd ||
         task == Task::gesdd || task == Task::orgqr || task == Task::gels;
}
bool has_right_sides(Task task) noexcept {
  return task == Task::getrs || task == Task::gesv || task == Task::potrs || task == Task::posv ||
         task == Task::gels;
}
bool is_singular(Task task) noexcept { return task == Task::gesvd || task == Task::gesdd; }

template <class T>
bool has_known_flags(const WholeCall<T>& call) noexcept {
  switch (call.task) {
    case Task::getrs:
      return is_one_of(call.op, "NTC");
    case Task::potrf:
    case Task::potrs:
    case Task::posv:
    case Task::potri:
      return is_one_of(call.uplo, "UL");
    case Task::gels:
      return is_one_of(call.op, is_complex<T> ? "NC" : "NT");
    case Task::ormqr:
      return is_one_of(call.side, "LR") && is_one_of(call.op, is_complex<T> ? "NC" : "NT");
    case Task::syev:
    case Task::syevd:
    case Task::syevr:
      return is_one_of(call.uplo, "UL") && is_one_of(call.job, "NV") && call.range == 'A';
    case Task::geev:
      return is_one_of(call.job, "NV") && is_one_of(call.job_vt, "NV");
    case Task::gesvd:
      return is_one_of(call.job, "NSAO") && is_one_of(call.job_vt, "NSAO") &&
             !(call.job == 'O' && call.job_vt == 'O');
    case Task::gesdd:
      return is_one_of(call.job, "NSA");
    default:
      return true;
  }
}

/// Bases of the whole space are made on devices only where they have no more than min(m, n)
/// vectors.
template <class T>
bool has_good_bases(const WholeCall<T>& call) noexcept {
  const std::int64_t least = std::min(call.m, call.n);
  const char job_vt = call.task == Task::gesdd ? call.job : call.job_vt;
  if (call.ldu < 1 || call.ldvt < 1) return false;
  if ((call.job == 'A' && call.m != least) || (job_vt == 'A' && call.n != least)) return false;
  if (is_one_of(call.job, "SA") && (call.u == nullptr || call.ldu < call.m)) return false;
  return !is_one_of(job_vt, "SA") || (call.vt != nullptr && call.ldvt >= least);
}

/// The same of eigenvectors that have a place of their own.
template <class T>
bool has_good_vectors(const WholeCall<T>& call) noexcept {
  const auto is_good = [&](char job, const T* at, std::int64_t leading) {
    return leading >= 1 && (job == 'N' || (at != nullptr && leading >= call.n));
  };
  if (call.task == Task::syevr) return is_good(call.job, call.u, call.ldu);
  return is_good(call.job, call.u, call.ldu) && is_good(call.job_vt, call.vt, call.ldvt);
}

template <class T>
std::int64_t rows_of_b(const WholeCall<T>& call) noexcept {
  if (call.task == Task::gels) return std::max(call.m, call.n);
  return call.task == Task::ormqr ? call.m : call.n;
}

/// Whether the right sides share memory with the matrix.
template <class T>
bool overlaps(const WholeCall<T>& call) noexcept {
  const auto end = [](const T* begin, std::int64_t leading, std::int64_t columns) {
    return reinterpret_cast<std::uintptr_t>(begin + leading * columns);
  };
  const auto a = reinterpret_cast<std::uintptr_t>(call.a),
             b = reinterpret_cast<std::uintptr_t>(call.b);
  const bool is_product = call.task == Task::ormqr;
  return a < end(call.b, call.ldb, is_product ? call.n : call.k) &&
         b < end(call.a, call.lda, is_product ? call.k : call.n);
}

template <class T>
double elements_of_b(const WholeCall<T>& call) noexcept {
  const auto m = static_cast<double>(call.m), n = static_cast<double>(call.n),
             k = static_cast<double>(call.k);
  if (has_right_sides(call.task)) return static_cast<double>(rows_of_b(call)) * k;
  return call.task == Task::ormqr ? m * n : 0;
}

}  // namespace

template <class T>
bool wants_vectors(const WholeCall<T>& call) noexcept {
  const bool has_two = call.task == Task::gesvd || call.task == Task::geev;
  return call.job != 'N' || (has_two && call.job_vt != 'N');
}

template <class T>
double flops_of(const WholeCall<T>& call) noexcept {
  const auto m = static_cast<double>(call.m), n = static_cast<double>(call.n),
             k = static_cast<double>(call.k);
  const double factor = is_complex<T> ? 4 : 1, l = std::min(m, n);
  switch (call.task) {
    case Task::getrf:
      return factor * (2 * m * n * l - (m + n) * l * l + 2 * l * l * l / 3);
    case Task::gesv:
      return factor * (2 * n * n * n / 3 + 2 * n * n * k);
    case Task::getrs:
    case Task::potrs:
      return factor * 2 * n * n * k;
    case Task::potrf:
      return factor * n * n * n / 3;
    case Task::posv:
      return factor * (n * n * n / 3 + 2 * n * n * k);
    case Task::geqrf:
      return factor * 2 * (2 * m * n * l - (m + n) * l * l + 2 * l * l * l / 3);
    case Task::ormqr:
      return factor * 4 * m * n * k;
    case Task::orgqr:
      return factor * (4 * m * n * k - 2 * (m + n) * k * k + 4 * k * k * k / 3);
    case Task::getri:
      return factor * 4 * n * n * n / 3;
    case Task::potri:
      return factor * 2 * n * n * n / 3;
    case Task::gels:
      return factor * (2 * (2 * m * n * l - (m + n) * l * l + 2 * l * l * l / 3) + 4 * m * n * k);
    case Task::geev:
      return factor * (wants_vectors(call) ? 25 : 10) * n * n * n;
    case Task::syev:
    case Task::syevd:
    case Task::syevr:
      return factor * (wants_vectors(call) ? 9 : 4.0 / 3) * n * n * n;
    default:
      return factor * (wants_vectors(call) ? 22 : 8.0 / 3) * m * n * l;
  }
}

template <class T>
double moved_bytes(const WholeCall<T>& call) noexcept {
  const auto rows = static_cast<double>(rows_of_a(call));
  const auto columns = static_cast<double>(call.task == Task::ormqr ? call.k : call.n);
  const bool reads_only =
      call.task == Task::getrs || call.task == Task::potrs || call.task == Task::ormqr;
  return sizeof(T) * ((reads_only ? 1 : 2) * rows * columns + 2 * elements_of_b(call));
}

template <class T>
std::int64_t room_bytes(const WholeCall<T>& call) noexcept {
  const double columns = static_cast<double>(call.task == Task::ormqr ? call.k : call.n);
  return static_cast<std::int64_t>(
      sizeof(T) * (static_cast<double>(rows_of_a(call)) * columns + elements_of_b(call)));
}

template <class T>
bool is_usual(const WholeCall<T>& call) noexcept {
  const bool has_b = has_right_sides(call.task) || call.task == Task::ormqr;
  const bool has_k = has_b || call.task == Task::orgqr;
  if (!has_known_flags(call) || call.n <= 0 || (has_m(call.task) && call.m <= 0) ||
      (has_k && call.k <= 0))
    return false;
  if (call.a == nullptr || call.info == nullptr || call.lda < rows_of_a(call)) return false;
  // Pivots come as numbers of the matrix's type: as such each row has one of its own.
  constexpr int digits = std::numeric_limits<RealOf<T>>::digits;
  if (call.task == Task::getrf && call.m > std::int64_t{1} << digits) return false;
  if (call.task == Task::ormqr && call.k > rows_of_a(call)) return false;
  if (call.task == Task::orgqr && (call.k > call.n || call.n > call.m)) return false;
  if (has_b && (call.b == nullptr || call.ldb < rows_of_b(call) || overlaps(call))) return false;
  if (call.task == Task::syevr || call.task == Task::geev) return has_good_vectors(call);
  return !is_singular(call.task) || has_good_bases(call);
}

template bool wants_vectors(const WholeCall<float>&) noexcept;
template bool wants_vectors(const WholeCall<double>&) noexcept;
template bool wants_vectors(const WholeCall<c64>&) noexcept;
template bool wants_vectors(const WholeCall<c128>&) noexcept;
template double flops_of(const WholeCall<float>&) noexcept;
template double flops_of(const WholeCall<double>&) noexcept;
template double flops_of(const WholeCall<c64>&) noexcept;
template double flops_of(const WholeCall<c128>&) noexcept;
template double moved_bytes(const WholeCall<float>&) noexcept;
template double moved_bytes(const WholeCall<double>&) noexcept;
template double moved_bytes(const WholeCall<c64>&) noexcept;
template double moved_bytes(const WholeCall<c128>&) noexcept;
template std::int64_t room_bytes(const WholeCall<float>&) noexcept;
template std::int64_t room_bytes(const WholeCall<double>&) noexcept;
template std::int64_t room_bytes(const WholeCall<c64>&) noexcept;
template std::int64_t room_bytes(const WholeCall<c128>&) noexcept;
template bool is_usual(const WholeCall<float>&) noexcept;
template bool is_usual(const WholeCall<double>&) noexcept;
template bool is_usual(const WholeCall<c64>&) noexcept;
template bool is_usual(const WholeCall<c128>&) noexcept;

}  // namespace blockyard::blas
