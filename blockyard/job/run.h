// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "blockyard/job/devices.h"
#include "blockyard/job/job.h"
#include "blockyard/wire/messages.h"
#include "blockyard/worker/worker.h"

namespace blockyard::fabric {
class MpiSession;
}

namespace blockyard::job {

struct SavedRun;  // checkpoint.h

/// The result of one program.
struct StepResult {
  std::string name;
  double seconds = 0;
  worker::Outcome outcome;               ///< of worker 0
  std::vector<worker::Metrics> metrics;  ///< by worker, from Results::first_worker on
  std::vector<std::string> warnings;     ///< of the checking mode, each once
};

/// The recording of a rank, in seconds since the start of the run.
struct RankRecord {
  std::vector<base::MemorySample> memory;
  std::vector<base::TraceEvent> trace;
};

struct Results {
  std::vector<StepResult> steps;
  int first_worker = 0;  ///< process 0 has the metrics of all workers, another those of its own
  std::vector<wire::ServerCounts> servers;
  /// Errors of files that could not be written at the end; all else is as if they had been.
  std::vector<std::string> lost;
  /// Why the job ended before its last program: one has not converged. `steps` has those that ran.
  std::string unconverged;
  std::size_t steps_run = 0;         ///< of use while they run
  std::vector<RankRecord> ranks;     ///< workers first; for reports and time lines
  std::string device_kind = "none";  ///< with no devices: the kind not opened for lack of work
  std::vector<DeviceInfo> devices;   ///< of the process that has most
  /// A driver did not return: the thread that loads it still runs, and an ordinary end of this
  /// process may wait for it.
  bool has_left_driver = false;
  double seconds = 0;
  std::int64_t peak_block_bytes = 0;  ///< blocks, caches and transfers of all ranks together
  std::int64_t peak_rss_bytes = 0;    ///< the whole process
};

/// The workers of this process while they run.
struct LiveView {
  std::size_t step = 0;  ///< of Job::steps
  int first_worker = 0;
  std::span<const worker::Live> workers;
};

/// What a run reports during its course, and how it is stopped. Each may be empty.
struct Hooks {
  /// Text that programs print: whole lines. One call at a time, from any thread.
  std::function<void(std::string_view)> print;
  /// A program begins (its place in Job::steps). From any thread.
  std::function<void(std::size_t)> step_begins;
  /// Called a few times a second by the thread that called run.
  std::function<void(const LiveView&)> look;
  /// Asked a few times a second by the thread that called run: a text ends the run with it.
  std::function<std::string()> stop_reason;
  /// How often a checkpoint was asked for so far, and whether the run is to end after the next one.
  /// Asked at every barrier, by any thread.
  std::function<int()> checkpoint_requests;
  std::function<bool()> ends_after_checkpoint;
  /// Called again and again, after an error, while a rank does not stop within four seconds (a
  /// super instruction that does not return). Ends the process at once, or that instruction.
  std::function<void(std::string_view)> give_up;
  /// At process 0: takes the results of the run to where they last. Its checkpoints are removed
  /// only afterwards, and stay if this returns false.
  std::function<bool(const Results&)> deliver;
};

/// Runs the programs of a job, each rank on a thread of its own, and joins them all.
/// Throws the first error of any rank; then no files remain.
/// `from`: resumes from a checkpoint of this job.
/// `session`: the processes that run it together (main thread; null: this one alone). All of them
/// call this with the same job; the whole results are at process 0, which also prints.
[[nodiscard]] Results run(const Job& job, const Hooks& hooks, const SavedRun* from = nullptr,
                          fabric::MpiSession* session = nullptr);

}  // namespace blockyard::job
