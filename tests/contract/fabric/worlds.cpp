// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/fabric/worlds.h"

#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "blockyard/fabric/delay/delay.h"
#include "blockyard/fabric/loopback/loopback.h"

namespace blockyard::contract {
namespace {

/// The fabric of a test, or what is made of it.
using Wrap = std::function<std::unique_ptr<fabric::Fabric>(std::unique_ptr<fabric::Fabric>)>;

void run_loopback(int size, std::optional<std::uint64_t> seed, const RankMain& main,
                  const Wrap& wrap = {}) {
  fabric::LoopbackWorld world(size, seed);
  std::mutex mutex;
  std::exception_ptr first_failure;
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < size; ++rank) {
      threads.emplace_back([&, rank] {
        const auto fabric = wrap ? wrap(world.endpoint(rank)) : world.endpoint(rank);
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
    worlds.push_back({"delayed" + std::to_string(size), size, [size](const RankMain& main) {
                        run_loopback(size, std::nullopt, main, [](auto fabric) {
                          return fabric::delayed(std::move(fabric), {20e-6, 1e9});
                        });
                      }});
  }
  return worlds;
}

}  // namespace blockyard::contract
