// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "blockyard/qc/integrals.h"

namespace blockyard::qc {

/// The cost of repulsion integrals, by the sum of the angular momenta of four shells: a quartet,
/// and each quartet of primitives in it. The last value holds for higher sums too.
struct RepulsionRates {
  std::vector<double> quartet_seconds;
  std::vector<double> primitive_seconds;
};

/// Seconds that IntegralEngine::electron_repulsion takes for a block, without computing it: goes
/// through its quartets of shells with the same symmetries and Schwarz bounds.
/// REQUIRES: both lists of rates hold something.
[[nodiscard]] double repulsion_seconds(const Integrals& shared, const RepulsionRates& rates,
                                       ShellRange a, ShellRange b, ShellRange c, ShellRange d);

/// Measures the rates on this core; calls `step` before each of most_momentum_sum + 1 sums.
inline constexpr int most_momentum_sum = 12;
[[nodiscard]] RepulsionRates measure_repulsion(const std::function<void()>& step);

}  // namespace blockyard::qc
