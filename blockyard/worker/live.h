// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace blockyard::worker {

/// A worker's current activity. `blockyard top` reads the numbers.
enum class Doing : std::uint8_t { nothing, work, block, barrier, put, chunk };

/// Kinds of base::TraceEvent on lane 0 of a worker; `what` is the pc. Other lanes are streams.
enum class EventKind : std::uint8_t {
  instruction,
  block_wait,
  barrier_wait,
  put_wait,
  pardo,
  program
};
inline constexpr std::size_t event_kinds = 6;

/// What a worker is doing now, for observers: it stores, any thread loads. Values need not
/// belong to the same instant.
struct Live {
  std::atomic<Doing> doing = Doing::nothing;
  std::atomic<std::int32_t> pc = 0;
  std::atomic<std::uint64_t> iterations = 0;  ///< of pardos, in this program
  std::atomic<std::uint64_t> operations = 0;  ///< on blocks, in this program
  std::atomic<double> block_wait_seconds = 0;
  std::atomic<double> barrier_seconds = 0;
  std::atomic<std::int64_t> used_bytes = 0;
};

}  // namespace blockyard::worker
