// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/node/node_memory.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

namespace blockyard::fabric::node {
namespace {

struct Free {
  void operator()(std::byte* memory) const noexcept { std::free(memory); }
};

TEST(NodeMemory, asks_again_for_pages_that_the_system_refused) {
  constexpr std::size_t bytes = std::size_t{1} << 20;
  const std::unique_ptr<std::byte, Free> arena(
      static_cast<std::byte*>(std::aligned_alloc(Pieces::page_bytes, bytes)));
  bool refuses = false;
  int times = 0;
  NodeMemory::Own own;
  own.bytes = bytes;
  own.claim = [&](std::size_t, std::size_t) { return ++times, !refuses; };
  own.give_back = [](std::size_t, std::size_t) {};
  NodeMemory memory(0, {arena.get()}, own);
  refuses = true;
  EXPECT_EQ(memory.allocate(Memory::everyone, 50000).region, -1);
  EXPECT_EQ(memory.allocate(Memory::everyone, 50000).region, -1);
  refuses = false;
  times = 0;
  const Allocation enough = memory.allocate(Memory::everyone, 50000);
  EXPECT_GE(enough.region, 0);
  EXPECT_EQ(times, 1);
  memory.release(enough.region);
}

}  // namespace
}  // namespace blockyard::fabric::node
