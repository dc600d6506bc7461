// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "blockyard/fabric/memory.h"

namespace blockyard::ga {

/// The current place of a process, for others to see. Addresses are those of that process.
struct Post {
  std::atomic<std::uint64_t> steps = 0;               ///< odd: in a call
  std::atomic<const char*> name = nullptr;            ///< of the call; null: none yet
  std::atomic<const void*> place = nullptr;           ///< in the caller's code
  const char *library = nullptr, *program = nullptr;  ///< where our code and the program begin
};

/// Reports the place of each process when one is in a call for long and others are not: a hang is
/// mostly a collective that some process did not reach. One thread watches, at rank 0; it takes no
/// part in anything.
class Watch {
 public:
  /// Collective. seconds: how long is long, at rank 0; none: nothing is reported.
  Watch(fabric::Memory& memory, std::optional<double> seconds);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch();
  /// Collective.
  void end();

  /// This process's own; null if there is none to write to.
  [[nodiscard]] Post* post() const noexcept { return post_; }
  static void enter(Post& post, const char* name, const void* place) noexcept {
    post.name.store(name, std::memory_order_relaxed);
    post.place.store(place, std::memory_order_relaxed);
    leave(post);
  }
  static void leave(Post& post) noexcept {
    post.steps.store(post.steps.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

 private:
  struct Seen {
    std::uint64_t steps = 0;
    std::int64_t name = 0, place = 0;  ///< bytes from the beginning of our code, of the program
    int looks = 0;                     ///< at the same step
    bool is_told = false;
  };
  void watch();
  [[nodiscard]] Seen read(int rank) const;
  void look();
  [[nodiscard]] std::string where(int rank) const;
  void tell(int rank) const;

  fabric::Memory& memory_;
  double seconds_ = 0;
  fabric::Region posts_ = -1;
  Post* post_ = nullptr;
  std::vector<Seen> seen_;  // the watching thread's
  std::mutex mutex_;        // guards is_ending_
  std::condition_variable ending_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace blockyard::ga
