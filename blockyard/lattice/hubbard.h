// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "blockyard/lattice/problem.h"

namespace blockyard::lattice {

struct Bath;

/// The Hubbard model on a periodic chain or rectangle, of one layer or of two:
///   H = - sum over directed neighbours t c+_r c_r' + U sum (n_up - 1/2)(n_down - 1/2) - mu sum n
///   eps(k) = - 2 t (cos kx + cos ky) - 4 t' cos kx cos ky; layers are coupled by - t_perp.
/// A direction of length 1 has no hopping. mu is counted from half filling.
struct Hubbard {
  Vector2 lengths{1, 1};
  double t = 1;
  double t_prime = 0;
  double t_perp = 0;
  double u = 0;
  double mu = 0;
  double beta = 1;
  int layers = 1;

  [[nodiscard]] int sites() const noexcept { return lengths[0] * lengths[1]; }
  [[nodiscard]] double eps(Vector2 momentum) const;
  /// The energy above mu of a level: the even (0) or odd (1) combination of layers.
  [[nodiscard]] double energy(int level, double eps) const noexcept;
};

/// The fermionic frequency (2 n + 1) pi / beta.
[[nodiscard]] double matsubara(int n, double beta) noexcept;

/// d of the interaction expansion, unless the job says another.
inline constexpr double default_shift = 0.2;

/// Its cluster and bare Green's function G0(k, w) = 1 / (i w + mu - eps(k)), a matrix of layers.
[[nodiscard]] Problem problem_of(const Hubbard& model, int half, int exchange,
                                 std::vector<Vector2> exchange_momenta);

/// One momentum of each orbit of the point group: reflections, and the exchange of x and y where
/// the lengths are equal.
[[nodiscard]] std::vector<Vector2> irreducible_momenta(Vector2 lengths);
[[nodiscard]] std::vector<Vector2> all_momenta(Vector2 lengths);

/// g0(r, tau) = - < T c(tau) c+(0) > between two bands, -beta < tau < beta, at equal times from
/// below: interpolated in a table of 8192 steps, with an error of at most 6e-19 (beta E)^4, E the
/// largest energy from mu: 1e-11 at beta E = 64. Any thread.
class BareTime {
 public:
  explicit BareTime(const Hubbard& model);
  /// That of a cluster in an environment.
  BareTime(const Hubbard& model, const Bath& bath);
  [[nodiscard]] double at(int band1, int band2, Vector2 distance, double tau) const noexcept;

 private:
  /// By level (combination of layers), momentum.
  struct Point {
    double value = 0;
    double derivative = 0;
  };
  struct Empty {};
  BareTime(const Hubbard& model, Empty);
  void set_step(int step, const std::vector<Point>& points);

  Vector2 lengths_;
  int bands_;
  double beta_;
  double step_;
  std::vector<double> cosines_;  ///< of k r, by k r modulo the lengths
  std::vector<double> table_;    ///< value and derivative by tau, distance, difference of bands
};

}  // namespace blockyard::lattice
