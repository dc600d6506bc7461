// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "blockyard/lattice/hubbard.h"

namespace blockyard::lattice {

/// A function of a cluster at positive frequencies, by level (even and odd combination of two
/// layers), momentum, frequency, first index fastest. At negative frequencies it is the conjugate.
struct LevelFunction {
  int levels = 1;
  int momenta = 1;
  std::vector<Complex> values;

  [[nodiscard]] int frequencies() const noexcept {
    return static_cast<int>(values.size()) / (levels * momenta);
  }
  [[nodiscard]] Complex at(int level, int k, int n) const {
    return values[static_cast<std::size_t>(level + levels * (k + momenta * n))];
  }
};

/// Sigma(K, i w), and beyond the frequencies that are known its limit constant + tail / (i w).
struct SelfEnergy {
  LevelFunction known;
  double constant = 0;  ///< U (n - 1/2), n electrons of a spin and site
  double tail = 0;      ///< U^2 n (1 - n)

  [[nodiscard]] Complex at(int level, int k, int n, double beta) const;
};

/// The levels of a lattice in the patch of momenta around each momentum K of a cluster. All
/// directions of the lattice have hopping, also those in which the cluster has one site.
class Patches {
 public:
  /// points: momenta of a patch in each of `directions`, 1 or 2; with one of them the lattice is
  /// the periodic cluster if no length is 1: a direction of length 1 adds -2 t cos(0) here.
  Patches(const Hubbard& model, int directions, int points);
  /// The mean over the patch of 1 / (z - energy): energies above mu.
  [[nodiscard]] Complex green(int level, int k, Complex z) const;
  /// The coarse-grained bubble of one layer: the mean over k~, the momenta of a patch, of
  /// 1 / (z1 - energy(K1 + k~)) / (z2 - energy(K2 + k~)).
  [[nodiscard]] Complex bubble(int k1, Complex z1, int k2, Complex z2) const;
  [[nodiscard]] double mean(int level, int k) const;
  [[nodiscard]] double deviation(int level, int k) const;  ///< standard deviation of energies

 private:
  Hubbard model_;
  std::vector<std::vector<double>> eps_;  ///< by momentum of the cluster
};

/// The Green's function of a cluster whose sites do not interact, in its environment: what is left
/// of the coarse-grained one without the self-energy,  G0 = 1 / (1 / Gbar + Sigma).
struct Bath {
  LevelFunction g0;
  std::vector<double> energy;  ///< by level and momentum: mean, above mu, and deviation
  std::vector<double> spread;
};
[[nodiscard]] Bath bath_of(const Hubbard& model, const Patches& patches, const SelfEnergy& sigma,
                           int frequencies);

/// Puts the bath in place of the bare Green's function of the cluster.
void put_in(const Bath& bath, Problem& problem);

/// Averages over spins, over momenta that the point group takes to each other, and over
/// frequencies and their negatives. g: by (b1, b2, s, k, w) as in a report.
[[nodiscard]] LevelFunction level_function(const Hubbard& model, const Axes& axes,
                                           const std::vector<Complex>& g);

/// Sigma = 1 / G0 - 1 / G at the frequencies of g; limits from the density of g.
[[nodiscard]] SelfEnergy self_energy_of(const Hubbard& model, const Bath& bath,
                                        const LevelFunction& g);

/// Electrons of a spin and site, of a Green's function whose limit has the Hartree term of U.
[[nodiscard]] double density_of(const Hubbard& model, const Bath& bath, const LevelFunction& g);

}  // namespace blockyard::lattice
