// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "blockyard/fabric/loopback/loopback_memory.h"
#include "tests/contract/fabric/memory_worlds.h"

namespace blockyard::contract {

std::vector<MemoryWorld> memory_worlds() {
  std::vector<MemoryWorld> worlds;
  for (const int size : {1, 2, 3, 4, 7})
    worlds.push_back({"loopback" + std::to_string(size), size, [size](const auto& main) {
                        auto memories = fabric::loopback_memories(size, std::size_t{64} << 20);
                        std::vector<std::jthread> threads;
                        for (auto& memory : memories) threads.emplace_back([&] { main(*memory); });
                      }});
  return worlds;
}

}  // namespace blockyard::contract
