// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "blockyard/base/metric.h"
#include "blockyard/block/residency_counts.h"

namespace blockyard::worker {

/// The waits of one source line.
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
  std::uint64_t wasted = 0;       ///< prefetched, and evicted before use
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

/// A worker's part of one pardo.
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
  std::uint64_t device_calls = 0;  ///< of these: on a device
  double seconds = 0;              ///< of the others
};

/// Numbers of one worker in one program; worker_metrics() says what each means.
struct Counts {
  double seconds = 0;
  double barrier_seconds = 0;
  double transfer_seconds = 0;
  double block_wait_seconds = 0;
  double disk_wait_seconds = 0;
  double chunk_wait_seconds = 0;
  double checkpoint_seconds = 0;
  std::uint64_t instructions = 0;
  std::uint64_t block_operations = 0;
  double flops = 0;
  std::uint64_t iterations = 0;
  std::uint64_t gets = 0;
  std::uint64_t cache_hits = 0;
  std::uint64_t prefetches = 0;
  std::uint64_t wasted_prefetches = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t peak_bytes = 0;
};

/// A row for each field, in their order.
[[nodiscard]] std::span<const base::Metric<Counts>> worker_metrics() noexcept;

/// What a worker tells of one program.
struct Metrics : Counts {
  std::vector<LineWait> lines;  ///< by wait, longest first
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
