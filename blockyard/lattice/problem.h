// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "blockyard/lattice/cluster.h"

namespace blockyard::lattice {

/// The data shared by all samples of a run: the axes, the cluster, the bare Green's function.
struct Problem {
  Axes axes;
  std::vector<Vector2> sites;
  std::vector<Vector2> momenta;
  Vector2 lengths{1, 1};
  std::vector<Vector2> exchange_momenta;
  std::vector<Complex> g0;  ///< G0(b1, b2, s, k, w), first index fastest, w on the extended axis

  [[nodiscard]] Cluster cluster() const { return {sites, momenta, lengths, exchange_momenta}; }
};

}  // namespace blockyard::lattice
