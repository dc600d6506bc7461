// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace blockyard::bench {

/// One way to do something and how long it took; the first of an experiment is what the others are
/// compared with.
struct Timing {
  std::string way;
  double seconds;
};
struct Experiment {
  std::string name;
  std::vector<Timing> ways;
};

// Each needs AVX-512; `rounds` measurements, the best counts.
[[nodiscard]] std::vector<Experiment> short_loops(int rounds);
[[nodiscard]] std::vector<Experiment> small_matrices(int rounds);
[[nodiscard]] std::vector<Experiment> mandelbrot(int rounds);

}  // namespace blockyard::bench
