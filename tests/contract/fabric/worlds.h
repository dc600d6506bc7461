// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "blockyard/fabric/world.h"

namespace blockyard::contract {

/// What one rank does in a test.
using RankMain = std::function<void(fabric::Fabric&)>;

/// A kind of fabric with a number of ranks. To add a fabric, add its worlds in worlds.cpp.
struct World {
  std::string name;
  int size = 1;
  /// Runs `main` once on each rank of this process and returns when all came back. A rank that
  /// throws aborts the world; then throws what the first that did threw.
  std::function<void(const RankMain&)> run;
  /// Whether a rank is one of this process.
  std::function<bool(int)> is_here = [](int) { return true; };
  bool reads_devices = false;
  /// Where payloads of this process come from. Shared by the copies that gtest makes.
  std::shared_ptr<base::BufferPool> pool = std::make_shared<base::BufferPool>(std::size_t{1} << 28);
};

/// The fabric of a test, or what is made of it.
using Wrap = std::function<std::unique_ptr<fabric::Fabric>(std::unique_ptr<fabric::Fabric>)>;

/// Runs `main` on a thread of its own for each of `ranks` and aborts the world if it throws.
/// Returns what the first that did threw, or null.
[[nodiscard]] std::exception_ptr run_ranks(fabric::World& world, const std::vector<int>& ranks,
                                           const RankMain& main, const Wrap& wrap = {});

/// Worlds of 1, 2, 3, 4 and 7 ranks of every fabric of this build.
[[nodiscard]] std::vector<World> all_worlds();

inline std::ostream& operator<<(std::ostream& out, const World& world) { return out << world.name; }

}  // namespace blockyard::contract
