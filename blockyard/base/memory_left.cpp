// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/memory_left.h"

#include <algorithm>
#include <limits>

#include "blockyard/base/machine_limits.h"

namespace blockyard::base {

MemoryLeft memory_left() {
  MemoryLeft left{std::numeric_limits<std::size_t>::max(), "this machine"};
  const auto bytes_of = [](const MemoryRoom& room) {
    return static_cast<std::size_t>(std::max<std::int64_t>(room.bytes, 0));
  };
  if (const auto machine = machine_memory_room()) left.bytes = bytes_of(*machine);
  if (const auto group = group_memory_room(); group && bytes_of(*group) < left.bytes)
    left = {bytes_of(*group), "the control group (container) of the process"};
  return left;
}

}  // namespace blockyard::base
