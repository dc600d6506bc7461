// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/fabric/worlds.h"

#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "blockyard/fabric/loopback/loopback.h"

namespace blockyard::contract {
namespace {

void run_loopback(int size, std::optional<std::uint64_t> seed, const RankMain& main) {
  fabric::LoopbackWorld world(size, seed);
  std::mutex mutex;
  std::exception_ptr first_failure;
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < size; ++rank) {
      threads.emplace_back([&, rank] {
        const auto fabric = world.endpoint(rank);
        try {
          main(*fabric);
        } catch (const std::exception& error) {
          const std::lock_guard lock(mutex);
          if (!first_failure) first_failure = std::current_exception();
          fabric->abort(error.what());
        }
      });
    }
  }
  if (first_failure) std::rethrow_exception(first_failure);
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
  }
  return worlds;
}

}  // namespace blockyard::contract
