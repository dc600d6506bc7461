// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <exception>

namespace blockyard::bench {

/// Runs a benchmark. The exit status of its program: 1 after an exception, whose text is printed.
int reported(auto run) {
  try {
    run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
  return 0;
}

}  // namespace blockyard::bench
