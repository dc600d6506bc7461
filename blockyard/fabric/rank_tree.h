// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace blockyard::fabric {

/// The tree along which ranks talk to rank 0: the parent of a rank is its number in base 4 with the
/// last digit that is not zero set to zero. So the ranks below one follow it without gap, and where
/// there are up to four, all others talk to rank 0. The number of ranks alone determines it.
inline constexpr int tree_base = 4;

/// REQUIRES: rank > 0.
[[nodiscard]] constexpr int parent_of(int rank) {
  int step = 1;
  while (rank % (step * tree_base) == 0) step *= tree_base;
  return rank - rank % (step * tree_base);
}

/// In ascending order; at most tree_base - 1 for each digit of `ranks`.
[[nodiscard]] inline std::vector<int> children_of(int rank, int ranks) {
  std::vector<int> children;
  for (int step = 1; rank % (step * tree_base) == 0 && rank + step < ranks; step *= tree_base)
    for (int digit = 1; digit < tree_base && rank + digit * step < ranks; ++digit)
      children.push_back(rank + digit * step);
  return children;
}

}  // namespace blockyard::fabric
