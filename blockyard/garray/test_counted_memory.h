// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "blockyard/fabric/forwarding_memory.h"

namespace blockyard::garray {

/// Counts the messages to other ranks, broadcasts, and the values that are reduced. One thread.
class CountedMemory : public fabric::ForwardingMemory {
 public:
  using ForwardingMemory::ForwardingMemory;
  fabric::Transfer get(fabric::Region region, int member, std::size_t offset,
                       const fabric::Strided& lines, void* near) override {
    gets += member == rank() ? 0 : 1;
    return ForwardingMemory::get(region, member, offset, lines, near);
  }
  fabric::Transfer put(fabric::Region region, int member, std::size_t offset,
                       const fabric::Strided& lines, const void* near) override {
    puts += member == rank() ? 0 : 1;
    return ForwardingMemory::put(region, member, offset, lines, near);
  }
  void scatter(fabric::Region region, int member, std::span<const std::int64_t> offsets,
               std::size_t bytes, const void* near) override {
    puts += member == rank() ? 0 : 1;
    ForwardingMemory::scatter(region, member, offsets, bytes, near);
  }
  void reduce(fabric::Group group, fabric::Element element, fabric::Reduction reduction,
              void* values, std::size_t count) override {
    reduced += count;
    ForwardingMemory::reduce(group, element, reduction, values, count);
  }
  void broadcast(fabric::Group group, std::span<std::byte> bytes, int member) override {
    ++broadcasts;
    ForwardingMemory::broadcast(group, bytes, member);
  }
  int gets = 0, puts = 0, broadcasts = 0;
  std::size_t reduced = 0;
};

}  // namespace blockyard::garray
