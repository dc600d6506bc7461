// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/workspaces.h"

#include <algorithm>

#include "blockyard/device/host/workspaces.h"

namespace blockyard::blas {

namespace {

// Of the routines that divide and conquer.

template <class T>
Workspaces of_syevd(std::int64_t n, bool has_vectors) noexcept {
  const auto found =
      device::host::syevd_lengths(is_complex<T>, has_vectors, static_cast<double>(n));
  return {static_cast<std::int64_t>(found.work),
          is_complex<T> ? static_cast<std::int64_t>(found.real) : 0,
          static_cast<std::int64_t>(found.integer)};
}

template <class T>
std::int64_t of_gesdd(std::int64_t least, std::int64_t most, char job) noexcept {
  if (job == 'N' || job == 'S')
    return static_cast<std::int64_t>(device::host::gesdd_lengths(is_complex<T>, job == 'S',
                                                                 static_cast<double>(most),
                                                                 static_cast<double>(least))
                                         .work);
  const std::int64_t square = least * least;
  return is_complex<T> ? square + 2 * least + most : 4 * square + 6 * least + most;
}

}  // namespace

template <class T>
Workspaces shortest_workspaces(const WholeCall<T>& call) noexcept {
  const std::int64_t n = call.n, least = std::min(call.m, n), most = std::max(call.m, n);
  switch (call.task) {
    case Task::geqrf:
    case Task::orgqr:
    case Task::getri:
      return {n};
    case Task::ormqr:
      return {call.side == 'L' ? n : call.m};
    case Task::gels:
      return {least + std::max(least, call.k)};
    case Task::syev:
      return {is_complex<T> ? 2 * n - 1 : 3 * n - 1};
    case Task::syevd:
      return of_syevd<T>(n, wants_vectors(call));
    case Task::syevr:
      return is_complex<T> ? Workspaces{2 * n, 24 * n, 10 * n} : Workspaces{26 * n, 0, 10 * n};
    case Task::geev:
      return {is_complex<T> ? 2 * n : (wants_vectors(call) ? 4 : 3) * n};
    case Task::gesvd:
      return {is_complex<T> ? 2 * least + most : std::max(3 * least + most, 5 * least)};
    case Task::gesdd:
      return {of_gesdd<T>(least, most, call.job)};
    default:
      return {};
  }
}

template Workspaces shortest_workspaces(const WholeCall<float>&) noexcept;
template Workspaces shortest_workspaces(const WholeCall<double>&) noexcept;
template Workspaces shortest_workspaces(const WholeCall<c64>&) noexcept;
template Workspaces shortest_workspaces(const WholeCall<c128>&) noexcept;

}  // namespace blockyard::blas
