// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The resources a process may use, often less than what the machine has: batch systems and
/// containers limit by control groups (cgroups, versions 1 and 2), affinity masks and rlimits.
/// Functions that read files take the folder that /proc and /sys are in; "" is this machine.
namespace blockyard::base {

/// What a limit still leaves, and which limit it is, for messages.
struct MemoryRoom {
  std::int64_t bytes = 0;
  std::string limit;  ///< "the free memory of this machine", "control group /batch/job7"
  friend bool operator==(const MemoryRoom&, const MemoryRoom&) = default;
};

/// The available memory of this machine, which all its processes share. Nothing if unknown.
[[nodiscard]] std::optional<MemoryRoom> machine_memory_room(const std::string& root = "");

/// The tightest of memory.max and memory.high, or memory.limit_in_bytes, of the control groups of
/// this process and all above them, each less what is used there (page cache that can be dropped
/// does not count). All processes of a job may share it. Nothing without a limit.
[[nodiscard]] std::optional<MemoryRoom> group_memory_room(const std::string& root = "");

/// The tightest of RLIMIT_AS and RLIMIT_DATA (`ulimit -v`, `ulimit -d`), less what is mapped: of
/// this process alone. Nothing without a limit.
[[nodiscard]] std::optional<MemoryRoom> process_memory_room();

/// Numbers of the processors that the affinity mask of this thread allows, ascending.
[[nodiscard]] std::vector<std::int32_t> allowed_processors();

/// How many processors the CPU quotas of the control groups of this process are worth (cpu.max, or
/// cpu.cfs_quota_us): the least on the way up, rounded up. Nothing without a quota.
[[nodiscard]] std::optional<int> processor_quota(const std::string& root = "");

/// Cores that threads of this process can use at the same time, at least 1: the allowed processors,
/// or the quota if that is less. The one way to count cores.
[[nodiscard]] int usable_cores();

}  // namespace blockyard::base
