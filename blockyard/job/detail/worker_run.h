// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string_view>
#include <vector>

#include "blockyard/base/recording.h"
#include "blockyard/job/checkpoint.h"
#include "blockyard/job/devices.h"
#include "blockyard/job/run.h"

namespace blockyard::job {

/// What the run of one worker has to do with. All of it outlives the worker's thread.
struct WorkerRun {
  const Job& job;
  const Hooks& hooks;
  const SavedRun* from;  ///< null: from the begin
  int number;
  const std::vector<int>& process_of;  ///< by rank
  fabric::Fabric& endpoint;
  base::BufferPool& pool;
  Devices& devices;
  CheckpointFolder* checkpoints;  ///< null: none are written
  worker::Kept& kept;             ///< of earlier jobs
  const worker::Kept& guess;
  base::Recording* recording;  ///< may be null
  worker::Live& live;
  std::atomic<std::size_t>* step;  ///< told by the first worker of a process; null for others
  Results& results;                ///< each worker has places of its own; the rest by mutex
  std::mutex& mutex;               ///< guards what workers share of results
  std::function<void(std::string_view)> tell;
};

/// Runs all programs of the job as worker `number`. Throws what ends the run.
void run_worker(const WorkerRun& run);

}  // namespace blockyard::job
