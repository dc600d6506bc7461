// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "blockyard/block/residency_counts.h"

namespace blockyard::worker {

/// What one source line waited for.
struct LineWait {
  std::string place;  ///< "file.sial:12"
  std::string array;
  std::uint64_t gets = 0;        ///< how often the line was run
  std::uint64_t cache_hits = 0;  ///< of these: the block was in the cache or under way
  std::uint64_t early_hits = 0;  ///< of these: since look-ahead had asked for it
  std::uint64_t accesses = 0;    ///< uses of a fetched block
  std::uint64_t blocked = 0;     ///< uses that had to wait
  double wait_seconds = 0;
  double first_wait_seconds = 0;  ///< of the first use
  int depth = 0;                  ///< of prefetching, at the end
  std::uint64_t wasted = 0;       ///< prefetched, and let go before use
  std::string reason{};           ///< of the depth

  /// Share of uses that did not wait; 1 if there were none.
  [[nodiscard]] double hit_ratio() const;
  /// Wait for each time that the line was run.
  [[nodiscard]] double mean_wait_seconds() const;
};

/// Where the time of a worker went, by source line.
struct LineTime {
  std::string place;
  std::uint64_t times = 0;        ///< how often it ran
  double seconds = 0;             ///< waits included
  double block_wait_seconds = 0;  ///< for blocks
  double disk_wait_seconds = 0;   ///< of these, while a server read or wrote its disk
  double barrier_wait_seconds = 0;
  double put_wait_seconds = 0;
};

/// What a worker did of one pardo.
struct PardoTime {
  std::string place;
  std::string policy;
  std::uint64_t entered = 0;
  std::uint64_t iterations = 0;
  double seconds = 0;  ///< waits included
  double wait_seconds = 0;
};

struct SuperUse {
  std::uint64_t calls = 0;
  double seconds = 0;
};

/// Counts and seconds of one worker in one program.
struct Metrics {
  double seconds = 0;           ///< wall time of the program
  double barrier_seconds = 0;   ///< waiting for other workers
  double transfer_seconds = 0;  ///< waiting for own puts to be acknowledged
  double block_wait_seconds = 0;
  double disk_wait_seconds = 0;   ///< of these, while a server read or wrote its disk
  double chunk_wait_seconds = 0;  ///< for the next iterations of a pardo
  double checkpoint_seconds = 0;
  std::uint64_t instructions = 0;
  std::uint64_t block_operations = 0;
  double flops = 0;              ///< of contractions
  std::uint64_t iterations = 0;  ///< of pardos
  std::uint64_t gets = 0;
  std::uint64_t cache_hits = 0;         ///< gets that found the block in the cache
  std::uint64_t prefetches = 0;         ///< blocks asked for before their get
  std::uint64_t wasted_prefetches = 0;  ///< of them, let go before use
  std::uint64_t bytes_received = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t peak_bytes = 0;  ///< blocks held by this worker
  std::vector<LineWait> lines;   ///< by wait, longest first
  std::map<std::string, SuperUse, std::less<>> supers;
  std::vector<std::uint64_t> bytes_from_servers;  ///< blocks, by server
  std::vector<std::uint64_t> bytes_to_servers;
  std::vector<LineTime> line_times;  ///< longest first; with Options::recording only
  std::vector<PardoTime> pardos;     ///< likewise, in the order of the program
  int device_number = -1;            ///< none
  block::ResidencyCounts device;     ///< zeros where there is none

  /// Share of uses of fetched blocks that did not wait; 1 if there were none.
  [[nodiscard]] double hit_ratio() const;
};

}  // namespace blockyard::worker
