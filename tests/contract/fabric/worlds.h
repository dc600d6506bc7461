// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "blockyard/fabric/fabric.h"

namespace blockyard::contract {

/// What one rank does in a test.
using RankMain = std::function<void(fabric::Fabric&)>;

/// A kind of fabric with a number of ranks. To add a fabric, add its worlds in worlds.cpp.
struct World {
  std::string name;
  int size = 1;
  /// Runs `main` once on each rank and returns when all came back. A rank that throws aborts the
  /// world; then throws the text of the first that did.
  std::function<void(const RankMain&)> run;
};

/// Worlds of 1, 2, 3, 4 and 7 ranks of every fabric of this build.
[[nodiscard]] std::vector<World> all_worlds();

inline std::ostream& operator<<(std::ostream& out, const World& world) { return out << world.name; }

}  // namespace blockyard::contract
