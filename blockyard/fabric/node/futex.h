// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace blockyard::fabric::node {

/// A word in memory that processes share, and how many sleep until it changes.
struct Signal {
  std::atomic<std::uint32_t> word;
  std::atomic<std::uint32_t> sleepers;

  /// Wakes those that wait for a change that was made before. Any thread.
  void wake_all() noexcept;
};

/// How long to poll a word before sleeping: about as long as a wake-up takes.
struct Patience {
  std::uint32_t spins = 2000;
};

/// Returns once `signal` is not `seen` any more, or after some 100 ms: false then.
[[nodiscard]] bool wait_for_change(Signal& signal, std::uint32_t seen, Patience patience) noexcept;

/// Lets in one thread of any process at a time; unfair; open when all zero.
class Latch {
 public:
  void lock() noexcept;
  void unlock() noexcept;

 private:
  std::atomic<std::uint32_t> state_;  ///< 0 open, 1 held, 2 held with sleepers
};

/// A fair lock: first come, first served.
struct TicketLock {
  std::atomic<std::uint32_t> next;
  Signal serving;
};

}  // namespace blockyard::fabric::node
