// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace blockyard::base {

struct MemoryLeft {
  std::size_t bytes = 0;
  std::string limit;  ///< whose limit it is: "this machine", "its container"
};

/// How much memory this process could still touch before the system refuses or kills a process: the
/// least of what the machine and the control groups of the process leave. File pages that the
/// system can drop count as free.
[[nodiscard]] MemoryLeft memory_left();

}  // namespace blockyard::base
