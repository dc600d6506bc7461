// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "blockyard/lattice/channel.h"
#include "blockyard/lattice/cluster.h"
#include "blockyard/lattice/detail/row_kernels.h"
#include "blockyard/lattice/green.h"
#include "blockyard/ring/exact.h"
#include "blockyard/ring/layout.h"

namespace blockyard::lattice {

/// How G4(b1,b2,b3,b4,k1,w1,k2,w2,q,nu) of some channels lies in slices. A unit is a pair of second
/// frequencies, p and compact() - 1 - p. In a unit, fastest first: k1; real and imaginary parts as
/// two planes; b1, b2, b3, b4; k2; w1; q; nu; channel; which of the two frequencies; bin.
struct SliceShape {
  Axes axes;
  std::vector<Channel> channels;
  int exchange_momenta = 1;
  int bins = 1;

  [[nodiscard]] Extent units() const noexcept { return axes.half; }
  /// Values of a row: those of one k2 and w1. The rows of all k2 follow each other.
  [[nodiscard]] std::size_t row() const noexcept;
  /// One channel at one second frequency.
  [[nodiscard]] std::size_t channel_values() const noexcept;
  [[nodiscard]] std::size_t unit_values() const noexcept;
  /// Where the rows of (w1; q, nu) of a channel begin in a unit, k2 = 0; side: which frequency.
  [[nodiscard]] std::size_t at(int bin, int side, std::size_t channel, int nu, int q,
                               int w1) const noexcept;
  [[nodiscard]] int second_frequency(Extent unit, int side) const noexcept {
    return side == 0 ? static_cast<int>(unit) : axes.compact() - 1 - static_cast<int>(unit);
  }
};

/// The Green's function of one sample, for the tiles of a slice.
struct SampleTiles {
  Complex sign = 1;
  int bin = 0;
  const double* tiles = nullptr;
};

/// Adds G4 of samples to the units of a slice, all samples in one pass over it. One thread.
/// By channel, with H(a,b; k,w; k',w') the Green's function with bands exchanged, the formulae of
/// docs/lattice.md. Cost: 18 flops a value and sample for pp and transverse, 26 for magnetic and
/// charge; 32 bytes a value however many samples.
class TwoParticle {
 public:
  /// The set has the tiles that the units need. All but `shape` stay.
  TwoParticle(const Cluster& cluster, SliceShape shape, const TileSet& set, ring::Range units,
              bool plain_kernels = false);

  /// slice: units.count() * unit_values() values.
  void add(std::span<const SampleTiles> samples, std::span<double> slice);
  /// The same in exact sums. Returns the largest contribution, real or imaginary part.
  [[nodiscard]] double add_exactly(std::span<const SampleTiles> samples,
                                   std::span<std::int64_t> slice, const ring::ExactScale& scale);

 private:
  /// Frequencies and momentum transfer of a block of rows.
  struct Block {
    int w1 = 0, w2 = 0, nu = 0, q = 0;  ///< compact indexes; q: a momentum
    int q_index = 0;                    ///< among the exchange momenta
  };
  /// Where the second factor of a product lies in its tile: b_t of RowsTask.
  struct Turn {
    std::vector<std::int32_t> at, row;
  };
  template <class Value, class Add>
  void visit(std::span<const SampleTiles> samples, std::span<Value> slice, const Add& add);
  template <class Value, class Add>
  void add_rows(std::span<const SampleTiles> samples, Extent unit, int nu, int w1, Value* out,
                const Add& add);
  template <class Value, class Add>
  void add_channel(const SampleTiles& sample, const Block& block, Channel channel, Value* out,
                   const Add& add);
  template <class Value, class Add>
  void add_bands(const SampleTiles& sample, Channel channel, std::array<int, 4> b,
                 const Block& block, Value* out, const Add& add);
  void make_legs(const SampleTiles& sample, const Block& block);
  [[nodiscard]] const double* tile(const SampleTiles& sample, int row, int column, int s, int b1,
                                   int b2) const;
  [[nodiscard]] double* leg(int which, int s, int a, int b);
  void combine_legs(Channel channel, int sign);

  const Cluster& cluster_;
  SliceShape shape_;
  const TileSet& set_;
  ring::Range units_;
  const RowKernels& kernels_;
  double scale_ = 1;
  std::vector<Turn> turns_;       ///< by exchange momentum: of pp, of ph
  std::vector<double> legs_;      ///< u and v of outer products, by (a, b, s, which)
  std::vector<double> combined_;  ///< those of the sum or difference of spins, by (a, b, which)
};

}  // namespace blockyard::lattice
