// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "blockyard/fabric/mpi/session.h"
#include "blockyard/job/job.h"
#include "blockyard/job/run.h"

namespace blockyard::app {

/// What a run prints and writes.
struct OutputOptions {
  std::string json;
  std::string report;
  std::string trace;
  bool profile = false;
  bool quiet = false;
};

void add_output_options(CLI::App& command, OutputOptions& options);

/// What a run has to note for its outputs.
void note_for_outputs(const OutputOptions& options, job::RunSpec& run);

/// Throws Error{io} if the files could not be written in the end.
void check_outputs(const OutputOptions& options);

/// Runs a job, from a checkpoint if one is given, and tells the results. Signals stop it, and ask
/// for checkpoints where it takes any. Returns the exit code, unless a driver did not return: then
/// it ends the session and the process. Of several processes, `session`, all call this; the first
/// one prints.
[[nodiscard]] int execute(const job::Job& job, const OutputOptions& options,
                          const job::SavedRun* from, std::unique_ptr<fabric::MpiSession>& session);

}  // namespace blockyard::app
