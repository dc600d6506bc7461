// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <complex>
#include <numbers>
#include <vector>

#include "blockyard/base/integer.h"

namespace blockyard::lattice {

using base::Extent;
using Complex = std::complex<double>;
using Vector2 = std::array<int, 2>;

/// Numbers of values along the axes of Green's functions.
/// w[j] = (2 (j - half) + 1) pi / beta, j = 0 .. compact() - 1, is the compact axis of frequencies;
/// the extended one has `offset()` more at each end, so that w + nu is on it for every exchange
/// frequency nu = 0 .. exchange - 1, in units of 2 pi / beta.
struct Axes {
  int bands = 1;
  int sites = 1;     ///< as many as momenta
  int half = 1;      ///< positive frequencies
  int exchange = 1;  ///< exchange frequencies
  double beta = 1;

  [[nodiscard]] int compact() const noexcept { return 2 * half; }
  [[nodiscard]] int offset() const noexcept { return exchange - 1; }
  [[nodiscard]] int extended() const noexcept { return compact() + 2 * offset(); }
  /// The frequency at an index of the extended axis.
  [[nodiscard]] double frequency(int index) const noexcept {
    return (2 * (index - offset() - half) + 1) * std::numbers::pi / beta;
  }
  friend bool operator==(const Axes&, const Axes&) = default;
};

/// A periodic cluster: its sites, its momenta k = 2 pi n / L, and sums of them modulo the
/// reciprocal lattice.
class Cluster {
 public:
  /// Throws Error{bad_input} unless the momenta are all different modulo L and closed under sums,
  /// as many as the sites, and every exchange momentum is one of them.
  Cluster(std::vector<Vector2> sites, std::vector<Vector2> momenta, Vector2 lengths,
          const std::vector<Vector2>& exchange);

  [[nodiscard]] int size() const noexcept { return static_cast<int>(sites_.size()); }
  [[nodiscard]] const std::vector<Vector2>& sites() const noexcept { return sites_; }
  [[nodiscard]] const std::vector<Vector2>& momenta() const noexcept { return momenta_; }
  [[nodiscard]] Vector2 lengths() const noexcept { return lengths_; }
  /// Indexes of the exchange momenta.
  [[nodiscard]] const std::vector<int>& exchange() const noexcept { return exchange_; }

  /// Index of k + q, and of q - k.
  [[nodiscard]] int add(int k, int q) const { return add_[at(k, q)]; }
  [[nodiscard]] int minus(int q, int k) const { return minus_[at(k, q)]; }
  /// exp(i k r)
  [[nodiscard]] Complex phase(int k, int site) const { return phases_[at(k, site)]; }
  /// The index of a momentum, or -1.
  [[nodiscard]] int find(Vector2 momentum) const;

 private:
  [[nodiscard]] std::size_t at(int row, int column) const {
    return static_cast<std::size_t>(row) * sites_.size() + static_cast<std::size_t>(column);
  }
  std::vector<Vector2> sites_;
  std::vector<Vector2> momenta_;
  Vector2 lengths_;
  std::vector<int> exchange_;
  std::vector<int> add_;
  std::vector<int> minus_;
  std::vector<Complex> phases_;
};

}  // namespace blockyard::lattice
