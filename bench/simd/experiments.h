// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bench/simd/loops.h"

namespace blockyard::bench {

/// A line of README.md in one instruction set: what it is compared with, and what was published.
struct Line {
  std::string name;
  std::string way;
  double base_seconds = 0;
  double seconds = 0;
  std::string published = {};  ///< how many times faster; empty: nothing
};

/// Throw std::runtime_error where two ways give different results. `rounds` measurements, the best
/// counts.
[[nodiscard]] std::vector<Line> programs(const InstructionSet& set, int rounds);
[[nodiscard]] std::vector<Line> sums_of_31(const InstructionSet& set, int rounds);
[[nodiscard]] std::vector<Line> short_loops(const InstructionSet& set, int rounds);
[[nodiscard]] std::vector<Line> small_matrices(const InstructionSet& set, int rounds);
[[nodiscard]] std::vector<Line> mandelbrot(const InstructionSet& set, int rounds);
/// Room tensor against the best form of this bench: at least 0.91 is wanted.
[[nodiscard]] std::vector<Line> room_tensor(const InstructionSet& set, int rounds);

}  // namespace blockyard::bench
