// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "blockyard/qc/integrals.h"

namespace blockyard::qc::detail {

/// Radial matrices of one free atom, one for each angular momentum l: n_l*n_l values over its
/// contractions, first index fastest. All components m of a shell share them.
using RadialMatrices = std::vector<std::vector<double>>;

/// The radial one- and two-electron integrals of an atom at the origin with spherical functions.
/// Contractions must be sorted by angular momentum.
class AtomicProblem {
 public:
  AtomicProblem(int atomic_number, const std::vector<Contraction>& sorted);

  [[nodiscard]] std::size_t momenta() const noexcept { return counts_.size(); }
  /// Number of contractions of angular momentum l.
  [[nodiscard]] std::size_t count(std::size_t l) const { return counts_[l]; }
  [[nodiscard]] const RadialMatrices& overlap() const noexcept { return overlap_; }

  /// F_l(i,j) = h_l(i,j) + sum over l',k,m of  D_l'(k,m) [ J - K / 2 ],  D both spins together,
  /// of one component. Averaged over the components of l.
  [[nodiscard]] RadialMatrices fock(const RadialMatrices& density) const;

 private:
  /// <i|op|j> of the first components of the shells of l.
  [[nodiscard]] std::vector<double> radial_part(const std::vector<double>& block,
                                                std::size_t l) const;
  void add_field(IntegralEngine& engine, std::size_t l, std::size_t other);

  std::vector<std::size_t> counts_;  // by l
  std::vector<ShellRange> ranges_;   // by l
  RadialMatrices overlap_;
  RadialMatrices core_;
  /// field_[l][l'][(i + n_l j) + n_l^2 (k + n_l' m)] = J - K / 2, summed over the components of l'.
  std::vector<std::vector<std::vector<double>>> field_;
};

}  // namespace blockyard::qc::detail
