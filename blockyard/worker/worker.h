// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "blockyard/base/buffer.h"
#include "blockyard/base/recording.h"
#include "blockyard/fabric/fabric.h"
#include "blockyard/program/program.h"
#include "blockyard/super/super.h"
#include "blockyard/wire/messages.h"
#include "blockyard/worker/checkpoint.h"
#include "blockyard/worker/device_supply.h"
#include "blockyard/worker/environment.h"
#include "blockyard/worker/live.h"
#include "blockyard/worker/metrics.h"
#include "blockyard/worker/prefetch.h"

namespace blockyard::worker {

struct Options {
  int worker = 0;  ///< number among the workers; fabric rank of worker w is w
  int workers = 1;
  int servers = 1;  ///< fabric rank of server s is workers + s
  std::int64_t budget_bytes = std::int64_t{1}
                              << 30;  ///< all blocks, caches and transfers of this worker
  bool check = false;                 ///< checking mode
  program::Policy policy = program::Policy::balanced;  ///< of pardos that leave it open
  PrefetchDepth prefetch = {};
  std::vector<std::int32_t> process_of = {};  ///< each rank, workers first; empty: all in one
  Checkpoints* checkpoints = nullptr;         ///< null: none are taken
  base::Recording* recording = nullptr;       ///< for reports and time lines; null: no recording
  Live* live = nullptr;                       ///< for observers; may be null
  DeviceSupply* devices = nullptr;  ///< null: there are none; of all workers of the process
  bool learns_placement = false;    ///< where a statement runs; else all that can is on the device
  bool respects_hints = false;      ///< statements between gpu_on and gpu_off run on the device
  bool honours_intents = true;      ///< false, to compare: operands count as changed however used
};

/// The state of a program at its end on one worker.
struct Outcome {
  std::map<std::string, std::int64_t, std::less<>> ints;
  std::map<std::string, double, std::less<>> scalars;
  std::map<std::string, std::complex<double>, std::less<>> complex_scalars;
  std::map<std::string, DenseArray, std::less<>> arrays;  ///< static arrays
  std::vector<std::string> warnings;                      ///< of the checking mode
  Metrics metrics;
};

/// Runs SIAL programs one after the other on one rank. One thread.
class Worker {
 public:
  /// `print` gets whole lines, from worker 0 only unless a program asks for all.
  Worker(fabric::Fabric& fabric, base::BufferPool& pool, super::Table& supers, Options options,
         std::function<void(std::string_view)> print);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Collective among workers. Runs a verified program. Values of predefined static arrays in
  /// `environment` are replaced by those at the end of the program.
  /// Throws Error with place, array and block for what ends the job.
  /// `from`: resumes from a checkpoint that was taken in this program or before it.
  /// `number`: of the program in the job, for the time line.
  Outcome run(const program::Program& program, Environment& environment,
              const Resume* from = nullptr, std::size_t number = 0);

  /// Collective among workers, between programs: a checkpoint, if one is wished for.
  void checkpoint(Environment& environment);

  /// Frees the blocks kept for reuse at the same size.
  void free_frames() noexcept;

  /// Values kept between programs. Scalars and arrays may be put here before the first program.
  [[nodiscard]] Kept& kept() noexcept;

  /// Blocks of what the servers keep under a label, one after the other, on the worker that asks
  /// (worker 0, between programs): number in the grid, values.
  void read_kept(std::string_view label,
                 const std::function<void(std::uint64_t, std::span<const std::byte>)>& block);
  /// Puts one block aside before the first program (worker 0); end_write keeps all of them under a
  /// label.
  void write_kept(std::uint64_t number, std::span<const std::byte> values, array::ElementType type);
  void end_write(std::string_view label);

  /// Collective among workers, between programs. Returns when all have called it.
  void meet();

  /// While it waits for something else, between programs. Throws Error{comm} if the run was
  /// aborted.
  void look_around();

  /// Asks each server for its statistics (worker 0).
  [[nodiscard]] std::vector<wire::ServerCounts> server_statistics();
  /// Ends the servers (worker 0), after the last program.
  void shut_down_servers();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace blockyard::worker
