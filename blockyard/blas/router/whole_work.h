// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "blockyard/blas/router/whole_run.h"
#include "blockyard/blas/whole.h"
#include "blockyard/device/abi_kinds.h"

/// What the calls of LAPACK have in common that are computed as one.
namespace blockyard::blas {

template <class T>
using Block = typename WholeRun<T>::Block;

constexpr std::uint32_t transposed = blockyard_transposed, conjugated = blockyard_conjugate_left,
                        upper = blockyard_upper, unit = blockyard_unit;

/// The flags of op(x), for real elements without conjugation.
template <class T>
std::uint32_t flags_of(char op) noexcept {
  if (op == 'N') return 0;
  return op == 'C' && is_complex<T> ? transposed | conjugated : transposed;
}

template <class T>
View<T> whole(const T* at, std::int64_t rows, std::int64_t columns, std::int64_t leading) {
  return {.at = at, .rows = rows, .columns = columns, .leading = leading};
}
/// Of which only a triangle is read, or written.
template <class T>
View<T> triangle(const T* at, std::int64_t extent, std::int64_t leading, char uplo) {
  View<T> view = whole(at, extent, extent, leading);
  view.fill = Fill::zero;
  view.is_upper = uplo == 'U';
  return view;
}

inline void write_integer(void* to, std::int64_t at, std::int64_t value, int width) noexcept {
  if (width == 64)
    static_cast<std::int64_t*>(to)[at] = value;
  else
    static_cast<std::int32_t*>(to)[at] = static_cast<std::int32_t>(value);
}
inline std::int64_t integer_at(const void* from, std::int64_t at, int width) noexcept {
  if (width == 64) return static_cast<const std::int64_t*>(from)[at];
  return static_cast<const std::int32_t*>(from)[at];
}

template <class T>
std::int64_t rounded(T value) noexcept {
  return static_cast<std::int64_t>(std::llround(std::real(value)));
}

template <class T>
[[nodiscard]] std::vector<T> identity(std::int64_t rows, std::int64_t columns) {
  std::vector<T> made(static_cast<std::size_t>(rows * columns));
  for (std::int64_t k = 0; k < std::min(rows, columns); ++k)
    made[static_cast<std::size_t>(k + k * rows)] = T(1);
  return made;
}

/// One call under way.
template <class T>
class WholeWork {
 protected:
  WholeWork(const WholeCall<T>& call, const On& on) : call_(call), run_(on) {}

  void say(std::int64_t info) { write_integer(call_.info, 0, info, call_.width); }
  /// The triangle is square, and `right` has as many rows.
  void solve(std::uint32_t flags, std::int64_t n, Block<T> triangle, Block<T> right) {
    run_.run(BLOCKYARD_SOLVE, flags, {right, n, right.elements / n}, {triangle, n, n});
  }

  [[nodiscard]] View<T> right_sides() const {
    const std::int64_t rows = call_.task == Task::ormqr ? call_.m : call_.n;
    return whole<T>(call_.b, rows, call_.task == Task::ormqr ? call_.n : call_.k, call_.ldb);
  }

  const WholeCall<T>& call_;
  WholeRun<T> run_;
};

/// Each of some of the tasks. False, or Error: nothing was written.
template <class T>
[[nodiscard]] bool compute_by_factors(const WholeCall<T>& call, const On& on);
template <class T>
[[nodiscard]] bool compute_by_reflectors(const WholeCall<T>& call, const On& on);
template <class T>
[[nodiscard]] bool compute_spectrum(const WholeCall<T>& call, const On& on);

}  // namespace blockyard::blas
