// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>

#include "blockyard/base/clock.h"

namespace blockyard::base {

/// Seconds of an action: the best of several rounds, each of at least `round_seconds`.
template <class Action>
[[nodiscard]] double best_seconds(int rounds, double round_seconds, const Action& action) {
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    const double begin = now_seconds();
    double seconds = 0;
    int repeats = 0;
    for (; seconds < round_seconds; ++repeats) {
      action();
      seconds = now_seconds() - begin;
    }
    best = std::min(best, seconds / repeats);
  }
  return best;
}

}  // namespace blockyard::base
