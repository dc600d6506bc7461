// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "blockyard/program/program.h"

namespace blockyard::plan {

/// Ranks and memory that a plan is for. All counts are of one process.
struct PlanLayout {
  int processes = 1;
  int workers = 1;
  int servers = 1;
  double worker_bytes = 0;  ///< budget of each
  double server_bytes = 0;
  [[nodiscard]] int all_workers() const { return processes * workers; }
  [[nodiscard]] int all_servers() const { return processes * servers; }
};

/// The work of a program, of all workers together, counted like a run's metrics.
struct Work {
  double iterations = 0;  ///< of pardos
  double block_operations = 0;
  double flops = 0;  ///< of contractions
  double gets = 0;
  double cache_hits = 0;
  double puts = 0;
  double local_bytes = 0;   ///< of blocks from and to servers of the same process
  double fabric_bytes = 0;  ///< of blocks from and to other processes
  double spilled_bytes = 0;
  double read_back_bytes = 0;
  double contraction_seconds = 0;  ///< of one core
  double super_seconds = 0;
  double core_seconds = 0;  ///< everything that keeps a core of a worker busy
  std::map<std::string, double, std::less<>> super_calls;
};

/// Adds the work `more`.
void add(Work& to, const Work& more);

struct ArrayPlan {
  std::string name;
  program::ArrayKind kind = program::ArrayKind::temp;
  double blocks = 0;
  double bytes = 0;          ///< if every block is there; of static arrays: on each worker
  double largest_block = 0;  ///< bytes
  double peak_bytes = 0;     ///< written blocks of distributed and served arrays
};

/// The predicted cost of one program.
struct ProgramPlan {
  std::string name;
  double seconds = 0;
  Work work;
  std::vector<ArrayPlan> arrays;
  double static_bytes = 0;   ///< of each worker
  double own_bytes = 0;      ///< most of temps, locals and scratch of a worker
  double alive_bytes = 0;    ///< most of all distributed and served arrays and labels together
  double server_bytes = 0;   ///< most that a server holds in memory
  double worker_bytes = 0;   ///< most that a worker holds: static, own, cache of foreign blocks
  double process_bytes = 0;  ///< most of a process: its workers and servers, and itself
  bool is_sampled = false;   ///< some loops were sampled, not walked completely
  double error = 0;          ///< standard error of `seconds` due to that, as a share of them
  std::vector<std::string> assumptions;  ///< "scf_rhf.sial:12: 12 iterations (...)"
};

}  // namespace blockyard::plan
