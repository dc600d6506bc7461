// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace blockyard::base {

/// Seconds of a clock that never goes back; only differences mean something. Any thread.
[[nodiscard]] inline double now_seconds() noexcept {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

}  // namespace blockyard::base
