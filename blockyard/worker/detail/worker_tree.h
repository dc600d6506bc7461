// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace blockyard::worker::detail {

/// The tree along which workers talk to worker 0: the parent of a worker is its number in base 4
/// with the last digit that is not zero set to zero. So the workers below one follow it without
/// gap, and up to four workers talk to worker 0 themselves. The number of workers alone determines
/// it.
inline constexpr int tree_base = 4;

/// REQUIRES: worker > 0.
[[nodiscard]] constexpr int parent_of(int worker) {
  int step = 1;
  while (worker % (step * tree_base) == 0) step *= tree_base;
  return worker - worker % (step * tree_base);
}

/// In ascending order; at most tree_base - 1 for each digit of `workers`.
[[nodiscard]] inline std::vector<int> children_of(int worker, int workers) {
  std::vector<int> children;
  for (int step = 1; worker % (step * tree_base) == 0 && worker + step < workers; step *= tree_base)
    for (int digit = 1; digit < tree_base && worker + digit * step < workers; ++digit)
      children.push_back(worker + digit * step);
  return children;
}

}  // namespace blockyard::worker::detail
