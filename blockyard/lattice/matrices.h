// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "blockyard/lattice/averages.h"
#include "blockyard/lattice/bath.h"
#include "blockyard/lattice/two_particle.h"

namespace blockyard::lattice {

/// Results of the matrix chi(k1 w1; k2 w2) of a channel at nu = 0 and one momentum, of the cluster
/// by itself or of the lattice in which it is embedded. chi0 of the cluster: G(k) G(q - k) for
/// pairing, - G(k) G(k + q) for spin, with its G. The lattice has the irreducible vertex of the
/// cluster, Gamma = chi0^-1 - chi^-1, and the mean of G G over the patch of each momentum as chi0,
/// with G of the lattice:  chi(lattice) = (chi0(lattice)^-1 - Gamma)^-1.
/// Source: Maier, Jarrell, Pruschke, Hettler, Rev. Mod. Phys. 77, 1027 (2005), section II.F.
struct Leading {
  Channel channel = Channel::pp_up_down;
  Vector2 momentum{0, 0};
  /// The eigenvalue of Gamma chi0 = 1 - chi^-1 chi0 with the largest real part: 0 without
  /// interaction, 1 at an instability.
  double eigenvalue = 0;
  double eigenvalue_error = 0;
  /// Sum of chi over all momenta and the frequencies of G4, divided by beta nk: for spin, what
  /// these frequencies give of <m; m> / 2 a site, m = n_up - n_down. The rest goes as 1 /
  /// frequencies.
  double susceptibility = 0;
  double susceptibility_error = 0;
};

/// Collects the matrices of pairing at q = 0 and of spin at all exchange momenta from the units of
/// a result, by bin. Of one band, and of an order up to 1024; else there are none. One thread.
class Matrices {
 public:
  Matrices(const Problem& problem, const SliceShape& shape);
  /// The memory of all matrices.
  [[nodiscard]] static std::int64_t bytes_of(const Problem& problem, const SliceShape& shape);
  /// values: sums over samples, shape.unit_values().
  void take(Extent unit, std::span<const double> values);
  /// Of the cluster, or with `patches` of the lattice that has those. Errors by jackknife; 0 if
  /// fewer than two bins have samples.
  [[nodiscard]] std::vector<Leading> leading(const Averages& averages,
                                             const Patches* patches = nullptr) const;

 private:
  struct Matrix {
    std::size_t channel = 0;
    std::size_t q = 0;
    std::vector<std::vector<Complex>> sums;  ///< by bin; row (k1, w1), column (k2, w2)
  };
  /// Those that are collected, without memory.
  [[nodiscard]] static std::vector<Matrix> wanted(const Problem& problem, const SliceShape& shape);
  struct Two {
    double eigenvalue = 0;
    double susceptibility = 0;
  };
  /// Without one bin; -1: all.
  [[nodiscard]] Two measure(const Matrix& matrix, const Averages& averages, const Patches* patches,
                            int without) const;
  [[nodiscard]] std::vector<Complex> bubble(const Matrix& matrix, std::span<const Complex> g) const;
  [[nodiscard]] std::vector<Complex> bubble(const Matrix& matrix, std::span<const Complex> g,
                                            const Patches& patches) const;
  template <class Product>
  [[nodiscard]] std::vector<Complex> bubble_of(const Matrix& matrix, const Product& product) const;

  const Problem& problem_;
  SliceShape shape_;
  Cluster cluster_;
  std::size_t order_;
  std::vector<Matrix> matrices_;
};

}  // namespace blockyard::lattice
