// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "blockyard/base/shared_memory.h"

namespace blockyard::fabric::detail {

/// A counter in shared memory that its process sleeps on and others ring.
struct Bell {
  std::atomic<std::uint32_t> count;
  std::atomic<std::uint32_t> sleepers;
  /// Threads of the process that look at the counter all the time. Ringing wakes no thread then:
  /// the last that stops looking does, if something is left to do.
  std::atomic<std::uint32_t> watchers;
  /// Letters sent to this process: those that it has not taken yet are on their way.
  std::atomic<std::uint64_t> announced;

  void announce() noexcept;
  /// Wakes sleepers and watchers, in this or another process. Any thread.
  void ring() noexcept;
  /// Wakes sleepers, even while others watch.
  void wake() noexcept;
  /// Sleeps until it rings, for `seconds` at most; not at all if it rang since `seen` was read.
  void wait(std::uint32_t seen, double seconds) noexcept;

 private:
  void rouse() noexcept;
};

/// Which processes share memory with this one, and their bells. Made by all processes together.
/// Any thread.
class Node {
 public:
  /// `is_alone`: as if every process had a node of its own.
  Node(int process, int processes, bool is_alone);

  [[nodiscard]] int process() const noexcept { return process_; }
  [[nodiscard]] int processes() const noexcept { return static_cast<int>(bells_.size()); }
  [[nodiscard]] bool reaches(int other) const noexcept { return bell(other) != nullptr; }
  [[nodiscard]] bool has_neighbours() const noexcept { return has_neighbours_; }
  /// Whether all processes are on this node.
  [[nodiscard]] bool is_all() const noexcept { return is_all_; }
  [[nodiscard]] Bell& own() noexcept { return *bell(process_); }
  /// Null if the process is on another node.
  [[nodiscard]] Bell* bell(int other) const noexcept {
    return bells_[static_cast<std::size_t>(other)];
  }

 private:
  int process_;
  bool is_all_ = true;
  bool has_neighbours_ = false;
  base::SharedMemory mine_;
  std::vector<base::SharedMemory> others_;  ///< by process
  std::vector<Bell*> bells_;
};

}  // namespace blockyard::fabric::detail
