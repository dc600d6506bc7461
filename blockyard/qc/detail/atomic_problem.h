// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "blockyard/qc/atomic_density.h"
#include "blockyard/qc/integrals.h"

namespace blockyard::qc::detail {

/// Radial matrices of one free atom, one for each angular momentum l: n_l*n_l values over its
/// contractions, first index fastest. All components m of a shell share them.
using RadialMatrices = std::vector<std::vector<double>>;

/// The radial one- and two-electron integrals of an atom at the origin with spherical functions.
/// They are computed over primitives and then contracted: the contractions of a heavy atom share
/// their primitives, and libint would compute these again for each of them.
class AtomicProblem {
 public:
  /// Contractions must be sorted by angular momentum.
  AtomicProblem(const FreeAtom& atom, const std::vector<Contraction>& sorted);

  [[nodiscard]] std::size_t momenta() const noexcept { return shells_.size(); }
  /// Number of contractions of angular momentum l.
  [[nodiscard]] std::size_t count(std::size_t l) const { return shells_[l].contractions; }
  [[nodiscard]] const RadialMatrices& overlap() const noexcept { return overlap_; }

  /// F_l(i,j) = h_l(i,j) + sum over l',k,m of  D_l'(k,m) [ J - K / 2 ],  D both spins together,
  /// of one component. Averaged over the components of l.
  [[nodiscard]] RadialMatrices fock(const RadialMatrices& density) const;

 private:
  /// The primitives and contractions of one l.
  struct Shells {
    std::vector<double> exponents;     // distinct
    std::vector<double> coefficients;  // [exponent + exponents * contraction], norm 1 each
    std::size_t contractions = 0;
    ShellRange range;  // of the primitives
  };

  static std::vector<Shells> group(const std::vector<Contraction>& sorted);
  /// Makes the contractions of norm 1. overlap: of the primitives.
  static void normalise(Shells& shells, const std::vector<double>& overlap);
  void add_one_electron(IntegralEngine& engine, std::size_t l);
  /// Sets field_[l][other] and field_[other][l]. REQUIRES: l <= other.
  void add_field(IntegralEngine& engine, std::size_t l, std::size_t other);

  std::vector<Shells> shells_;  // by l
  RadialMatrices overlap_;
  RadialMatrices core_;
  /// field_[l][l'][(i + n_l j) + n_l^2 (k + n_l' m)] = J - K / 2, summed over the components of l'.
  std::vector<std::vector<std::vector<double>>> field_;
};

}  // namespace blockyard::qc::detail
