// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "blockyard/fabric/memory.h"

namespace blockyard::contract {

/// Ranks with one-sided memory.
struct MemoryWorld {
  std::string name;
  int size = 1;
  /// Runs `main` once on each rank of this process and returns when all came back.
  std::function<void(const std::function<void(fabric::Memory&)>& main)> run;
};

/// Of every kind of this executable: 1, 2, 3, 4 and 7 ranks, or those that mpirun started.
[[nodiscard]] std::vector<MemoryWorld> memory_worlds();

inline std::ostream& operator<<(std::ostream& out, const MemoryWorld& world) {
  return out << world.name;
}

}  // namespace blockyard::contract
