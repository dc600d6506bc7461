// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/workspaces.h"

#include <algorithm>

namespace blockyard::blas {

namespace {

/// Of the routines that divide and conquer.
template <class T>
Workspaces of_syevd(std::int64_t n, bool has_vectors) noexcept {
  if (n <= 1) return {1, 1, 1};
  const std::int64_t iwork = has_vectors ? 3 + 5 * n : 1;
  const std::int64_t reals = 1 + 5 * n + 2 * n * n;
  if constexpr (is_complex<T>) {
    if (has_vectors) return {2 * n + n * n, reals, iwork};
    return {n + 1, n, iwork};
  }
  return {has_vectors ? reals + n : 2 * n + 1, 0, iwork};
}

template <class T>
std::int64_t of_gesdd(std::int64_t least, std::int64_t most, char job) noexcept {
  const std::int64_t square = least * least;
  if constexpr (is_complex<T>) {
    if (job == 'N') return 2 * least + most;
    return job == 'S' ? square + 3 * least : square + 2 * least + most;
  }
  if (job == 'N') return 3 * least + std::max(most, 7 * least);
  return job == 'S' ? 4 * square + 7 * least : 4 * square + 6 * least + most;
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
