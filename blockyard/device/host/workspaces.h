// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>

/// Elements of the workspaces of LAPACK's routines that divide and conquer, the fewest that its
/// pages allow. The routines count with 32 bits: where their own count passes those, they write
/// past the workspace that they asked for.
namespace blockyard::device::host {

/// Numbers that double counts exactly as far as they fit.
struct Lengths {
  double work = 1, real = 1, integer = 1;
  /// Whether 32 bits count them.
  [[nodiscard]] bool fit() const noexcept {
    return std::max({work, real, integer}) <= std::numeric_limits<std::int32_t>::max();
  }
};

[[nodiscard]] inline Lengths syevd_lengths(bool is_complex, bool has_vectors, double n) noexcept {
  if (n <= 1) return {};
  const double reals = 1 + 5 * n + 2 * n * n;
  if (!has_vectors) return is_complex ? Lengths{n + 1, n, 1} : Lengths{2 * n + 1, 1, 1};
  const double integers = 3 + 5 * n;
  return is_complex ? Lengths{2 * n + n * n, reals, integers} : Lengths{reals + n, 1, integers};
}

[[nodiscard]] inline Lengths gesdd_lengths(bool is_complex, bool has_vectors, double m,
                                           double n) noexcept {
  const double k = std::min(m, n), l = std::max(m, n);
  if (is_complex)
    return has_vectors ? Lengths{k * k + 3 * k, k * std::max(5 * k + 7, 2 * l + 2 * k + 1), 8 * k}
                       : Lengths{2 * k + l, 7 * k, 8 * k};
  return {has_vectors ? 4 * k * k + 7 * k : 3 * k + std::max(l, 7 * k), 1, 8 * k};
}

/// The length of a workspace, from what a query left in its first element. That may be less than
/// the shortest one: a float is rounded, and the query counts with 32 bits.
/// REQUIRES: that fits.
template <class T>
int length_of(const T& first, double shortest = 1) {
  constexpr double most = std::numeric_limits<int>::max();
  return static_cast<int>(std::clamp(static_cast<double>(std::real(first)), shortest, most));
}

}  // namespace blockyard::device::host
