// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "blockyard/job/run.h"

namespace blockyard::job {

/// A total energy or a part of one, in hartree, by its key in JSON ("mp2_correlation").
struct Energy {
  std::string key;
  std::string title;
  double hartree = 0;
};

struct IterationCount {
  std::string method;
  std::int64_t count = 0;
};

/// The results of our own programs, from their final scalars (sialib/README.md).
struct MethodResults {
  std::vector<Energy> energies;
  std::vector<IterationCount> iterations;
  bool converged = false;
};

[[nodiscard]] MethodResults method_results(const Results& results);

}  // namespace blockyard::job
