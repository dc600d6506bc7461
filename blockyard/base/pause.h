// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace blockyard::base {

/// Leaves the core to its other thread for some tens of nanoseconds, in a loop that polls.
inline void pause_a_moment() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace blockyard::base
