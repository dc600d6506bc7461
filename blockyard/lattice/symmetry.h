// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "blockyard/lattice/problem.h"
#include "blockyard/lattice/two_particle.h"

namespace blockyard::lattice {

/// Averages G4 over what leaves the problem as it is: the operations of the point group
/// (reflections, and the exchange of x and y where lengths are equal) under which the bare Green's
/// function is the same, and complex conjugation with all frequencies and momenta negated, for nu =
/// 0 and where the bare Green's function has it. An operation counts for a momentum transfer q if
/// it takes q to one that is there. Linear, so that sums, averages and bins may be treated alike.
/// Conjugation needs real signs. One thread.
class Symmetry {
 public:
  /// The problem stays.
  Symmetry(const Problem& problem, const SliceShape& shape, bool has_real_signs);

  /// How many operations there are, the identity included; conjugation is not counted.
  [[nodiscard]] int operations() const noexcept { return static_cast<int>(maps_.size()); }
  /// values: those of a unit. The result holds until the next call.
  [[nodiscard]] std::span<const double> average(std::span<const double> values);

 private:
  using Map = std::vector<int>;  ///< by momentum: which one it goes to
  /// One term of the average for a q: momenta turned, from which q, conjugated or not.
  struct Source {
    const Map* map = nullptr;
    int q = 0;
    bool is_conjugate = false;
  };
  [[nodiscard]] bool keeps_g0(const Map& map, bool is_conjugate) const;
  [[nodiscard]] std::vector<Source> sources_of(int q, bool conjugates) const;
  void average_block(std::span<const double> values, int bin, int side, std::size_t channel, int nu,
                     int q);

  const Problem& problem_;
  SliceShape shape_;
  Cluster cluster_;
  std::vector<Map> maps_;
  std::vector<Map> conjugate_maps_;  ///< those of -k; empty: no conjugation
  std::vector<double> out_;
};

}  // namespace blockyard::lattice
