// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "blockyard/lattice/channel.h"
#include "blockyard/lattice/cluster.h"
#include "blockyard/lattice/sample.h"
#include "blockyard/ring/layout.h"

namespace blockyard::lattice {

/// Pairs of frequencies (w, w') on the extended axis, each a tile of the Green's function of a
/// sample: for each spin s and bands b1, b2 the values G(b1, b2, s, k1, k2, w, w') for all k1, k2.
/// In memory, fastest first: k1, k2, then real and imaginary parts as two planes, b1, b2, s, pair.
class TileSet {
 public:
  /// The second frequencies of these units: unit p is the pair p and compact() - 1 - p. Without
  /// channels there are no pairs.
  TileSet(const Axes& axes, std::span<const Channel> channels, const ring::Range& units);
  [[nodiscard]] static TileSet all(const Axes& axes);
  /// The pairs (w, w).
  [[nodiscard]] static TileSet diagonal(const Axes& axes);

  struct Pair {
    int row = 0;
    int column = 0;
    friend auto operator<=>(const Pair&, const Pair&) = default;
  };
  [[nodiscard]] const std::vector<Pair>& pairs() const noexcept { return pairs_; }
  /// Where the pair is in pairs(). REQUIRES: it is there.
  [[nodiscard]] std::size_t find(int row, int column) const;
  /// REQUIRES: some pair is there.
  [[nodiscard]] bool has(int row, int column) const;

  /// Values of a tile: two for each complex number.
  [[nodiscard]] std::size_t tile_values() const noexcept { return tile_values_; }
  [[nodiscard]] std::size_t values() const noexcept { return pairs_.size() * tile_values_; }
  /// Where the real parts for a spin and bands begin; imaginary ones are plane() values later.
  [[nodiscard]] std::size_t at(std::size_t pair, int spin, int b1, int b2) const noexcept {
    const auto nb = static_cast<std::size_t>(bands_);
    const auto s = static_cast<std::size_t>(spin);
    return pair * tile_values_ +
           (static_cast<std::size_t>(b1) + nb * (static_cast<std::size_t>(b2) + nb * s)) * 2 *
               plane_;
  }
  [[nodiscard]] std::size_t plane() const noexcept { return plane_; }

 private:
  explicit TileSet(const Axes& axes);
  void add(int row, int column);

  int extended_;
  int bands_;
  std::size_t plane_;
  std::size_t tile_values_;
  std::vector<Pair> pairs_;
  std::vector<std::int32_t> index_;  ///< by row and column; -1: not there; empty without pairs
};

/// The Green's function of one sample, tile by tile:
///   G(k1,k2,w1,w2) = - G0(k1,w1) M(k1,k2,w1,w2) G0(k2,w2) + beta delta delta G0(k1,w1),
///   M_b1b2 = 1/nk  sum over vertices i (band b1), j (band b2) of
///            exp(i k1 r_i) exp(i w1 tau_i) M_ij exp(-i w2 tau_j) exp(-i k2 r_j).
/// A tile is always computed by the same products, so its bits do not depend on which others are.
/// Cost: n^2 nk a column of frequencies, n nk^2 a tile and pair of spins, n vertices. One thread.
class SampleGreen {
 public:
  /// g0: G0(b1, b2, s, k, w) with w on the extended axis, first index fastest. It stays.
  SampleGreen(const Cluster& cluster, const Axes& axes, std::span<const Complex> g0)
      : cluster_(cluster), axes_(axes), g0_(g0) {}

  /// tiles: tiles.values() of the set.
  void compute(const Sample& sample, const TileSet& set, std::span<double> tiles);
  /// Memory that the largest computation took besides its tiles: phases and products of one spin.
  [[nodiscard]] std::int64_t work_bytes() const noexcept { return work_bytes_; }

 private:
  /// The vertices of a spin sorted by band, and the products of its matrix with phases.
  struct Spin {
    std::vector<int> first;  ///< by band; then the number of vertices
    std::vector<Vertex> vertices;
    std::vector<double> real, imaginary;     ///< the walker matrix in that order
    std::vector<std::vector<double>> left;   ///< by w: phases, (2 nk) x n
    std::vector<std::vector<double>> right;  ///< by w: matrix times phases, n x (2 nk) x bands
  };
  [[nodiscard]] Spin prepare(const SpinSample& sample) const;
  void note_work(const Spin& spin);
  void make_left(Spin& spin, int w) const;
  void make_right(Spin& spin, int w) const;
  void multiply(const Spin& spin, int band, const std::vector<double>& matrix,
                const std::vector<double>& phases, double* out) const;
  void transform_matrix(const Spin& spin, const TileSet::Pair& pair);
  [[nodiscard]] Complex dressed(int b1, int b2, int s, int k1, int k2,
                                const TileSet::Pair& pair) const;
  void make_tile(Spin& spin, const TileSet::Pair& pair, int s, double* tile);
  [[nodiscard]] Complex g0(int b1, int b2, int s, int k, int w) const;

  const Cluster& cluster_;
  Axes axes_;
  std::span<const Complex> g0_;
  std::vector<double> work_;     ///< (2 nk) x (2 nk)
  std::vector<Complex> matrix_;  ///< M(b1, b2, k1, k2)
  std::int64_t work_bytes_ = 0;
};

}  // namespace blockyard::lattice
