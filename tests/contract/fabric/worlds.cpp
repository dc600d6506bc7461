// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/fabric/worlds.h"

#include <numeric>
#include <optional>

#include "blockyard/fabric/delay/delay.h"
#include "blockyard/fabric/loopback/loopback.h"

namespace blockyard::contract {
namespace {

void run_loopback(int size, std::optional<std::uint64_t> seed, const RankMain& main,
                  const Wrap& wrap = {}) {
  fabric::LoopbackWorld world(size, seed);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  if (const auto failure = run_ranks(world, ranks, main, wrap)) std::rethrow_exception(failure);
}

}  // namespace

std::vector<World> all_worlds() {
  std::vector<World> worlds;
  for (const int size : {1, 2, 3, 4, 7}) {
    const std::string name = "loopback" + std::to_string(size);
    worlds.push_back(
        {name, size, [size](const RankMain& main) { run_loopback(size, std::nullopt, main); }});
    worlds.push_back(
        {name + "seeded", size, [size](const RankMain& main) { run_loopback(size, 12345, main); }});
    worlds.push_back({"delayed" + std::to_string(size), size, [size](const RankMain& main) {
                        run_loopback(size, std::nullopt, main, [](auto fabric) {
                          return fabric::delayed(std::move(fabric), {20e-6, 1e9});
                        });
                      }});
  }
  return worlds;
}

}  // namespace blockyard::contract
