// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "blockyard/base/machine_limits.h"
#include "blockyard/flow/bind.h"

namespace blockyard::job {

/// The needs of one program, with its name for messages.
struct ProgramNeed {
  std::string program;
  flow::MemoryNeed need;
};

/// How the memory of a run is shared out.
struct MemoryPlan {
  std::int64_t total_bytes = 0;
  std::int64_t shared_bytes = 0;       ///< what the process needs once
  std::int64_t worker_bytes = 0;       ///< of each worker
  std::int64_t server_bytes = 0;       ///< of each server
  std::int64_t distributed_bytes = 0;  ///< the most that distributed and served arrays take
  std::int64_t spilled_bytes = 0;      ///< of those, the part that goes to disk
  friend bool operator==(const MemoryPlan&, const MemoryPlan&) = default;
};

/// Shares out `total_bytes` among `workers` workers and `servers` servers of one process, of which
/// `shared_bytes` are taken already. Every worker gets what its largest program needs, every server
/// some blocks; of what is left, servers get what the arrays take (but at most seven eighths), and
/// the caches of the workers the rest.
/// Throws Error{no_memory} if there is too little, with how much is needed, by which program, and
/// what to change.
[[nodiscard]] MemoryPlan plan_memory(std::int64_t total_bytes, std::int64_t shared_bytes,
                                     int workers, int servers, std::span<const ProgramNeed> needs);

/// The plan where each of `servers` servers has a process of its own, also with `total_bytes`.
[[nodiscard]] MemoryPlan plan_memory_apart(std::int64_t total_bytes, std::int64_t shared_bytes,
                                           int workers, int servers,
                                           std::span<const ProgramNeed> needs);

/// What the system grants a process of a job; a room with an empty limit: without one.
struct GrantedMemory {
  base::MemoryRoom own;      ///< by the limits of this process alone
  base::MemoryRoom group;    ///< its part of what its control group grants
  base::MemoryRoom machine;  ///< its part of what is free on its machine
  friend bool operator==(const GrantedMemory&, const GrantedMemory&) = default;
};

/// Of this process.
[[nodiscard]] GrantedMemory granted_memory(int processes_on_node);

/// The tighter of each; of equal ones `first`.
[[nodiscard]] GrantedMemory tightest(const GrantedMemory& first, const GrantedMemory& second);

/// The default memory of a process, and the limit it derives from, for messages.
struct UsualMemory {
  std::int64_t bytes = 0;
  std::string source;  ///< "the free memory of this machine"
};

/// A part of what the tightest limit leaves (base/machine_limits.h): 70 %, and less where the rest
/// would not hold the program itself. Processes of one machine share its memory and
/// their control group. `mapped_later` bytes of address space go to libraries. Throws Error{io} if
/// the machine does not say how much is free.
[[nodiscard]] UsualMemory usual_memory(const GrantedMemory& granted, std::int64_t mapped_later = 0);

/// The warning for a user who asks for more memory than the system grants; "" if none. What is free
/// on a machine is no limit: it changes.
[[nodiscard]] std::string memory_warning(std::int64_t wanted_bytes, const GrantedMemory& granted);

/// From now on freed memory of a block's size goes back to the system at once. Otherwise
/// fragmentation in the allocator makes the process grow far past the plan.
void return_freed_blocks() noexcept;

/// From now on a few freed megabytes of each thread stay for what it allocates next, as is usual
/// where no plan bounds the memory: without the pages of new memory, arrays of 2 MB take half the
/// time.
void reuse_freed_memory() noexcept;

/// The most memory that this process had so far.
[[nodiscard]] std::int64_t peak_rss_bytes();

}  // namespace blockyard::job
