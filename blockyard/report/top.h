// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace blockyard::report {

/// A worker of an active run. Seconds and counts are of the current program.
struct LiveWorker {
  int number = 0;
  int process = 0;
  std::string doing;
  std::string place;
  std::uint64_t iterations = 0;
  std::uint64_t operations = 0;
  double block_wait_seconds = 0;
  double barrier_seconds = 0;
  std::int64_t used_bytes = 0;
  std::int64_t budget_bytes = 0;
};

struct LiveJob {
  int number = 0;  ///< process id of its process 0
  std::string title;
  std::string method;
  std::string program;
  int program_number = 0;
  int programs = 0;
  int processes = 1;
  int processes_seen = 0;  ///< on this machine
  double seconds = 0;
  double program_seconds = 0;
  std::int64_t rss_bytes = 0;     ///< of the processes seen
  std::int64_t memory_bytes = 0;  ///< that they may use
  std::vector<LiveWorker> workers;
};

struct Top {
  std::vector<LiveJob> jobs;        ///< by number
  std::vector<std::string> silent;  ///< processes that do not answer, as JOB-PROCESS
};

/// Puts together what processes said, JSON each; others than `job` are left out, if it is not 0.
/// Invalid JSON is left out as well: a process may have ended in the middle of it.
[[nodiscard]] Top read_top(std::span<const std::string> answers, int job);

/// In lines of at most `width` columns, if that is at least 40 and numbers are not huge.
[[nodiscard]] std::string print(const Top& top, std::size_t width);
[[nodiscard]] std::string json_of(const Top& top);

}  // namespace blockyard::report
