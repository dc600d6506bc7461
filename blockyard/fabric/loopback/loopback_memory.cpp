// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/loopback/loopback_memory.h"

#include <utility>

#include "blockyard/base/shared_memory.h"
#include "blockyard/fabric/node/node_memory.h"

namespace blockyard::fabric {

namespace {

using Arenas = std::vector<base::SharedMemory>;

}  // namespace

std::vector<std::unique_ptr<Memory>> loopback_memories(int size, std::size_t arena_bytes) {
  // Shared by the ranks: the last to end releases the arenas, which all of them may still reach.
  const auto arenas = std::make_shared<Arenas>();
  std::vector<std::byte*> places;
  for (int rank = 0; rank < size; ++rank)
    places.push_back(arenas->emplace_back(arena_bytes).data());
  std::vector<std::unique_ptr<Memory>> memories;
  for (int rank = 0; rank < size; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    node::NodeMemory::Own own{
        .bytes = arena_bytes,
        .claim = [arenas, at](std::size_t offset,
                              std::size_t bytes) { return (*arenas)[at].claim(offset, bytes); },
        .give_back = [arenas, at](std::size_t offset,
                                  std::size_t bytes) { (*arenas)[at].give_back(offset, bytes); }};
    memories.push_back(std::make_unique<node::NodeMemory>(rank, places, std::move(own)));
  }
  return memories;
}

}  // namespace blockyard::fabric
