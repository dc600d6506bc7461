// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "blockyard/fabric/mpi/session.h"
#include "blockyard/job/job.h"
#include "blockyard/job/run.h"
#include "blockyard/report/exports.h"
#include "blockyard/report/job_list.h"

namespace blockyard::app {

/// What a run prints and writes.
struct OutputOptions {
  std::string json;
  std::string report;
  std::string trace;
  std::string summary = "all";  ///< or "energies": one line of them and nothing else
  report::Exports exports;
  bool profile = false;
  bool quiet = false;
  bool is_silent = false;  ///< prints nothing: one of several jobs, told in one table
  [[nodiscard]] bool wants_one_line() const { return summary == "energies"; }
};

void add_output_options(CLI::App& command, OutputOptions& options);

/// What a run has to note for its outputs.
void note_for_outputs(const OutputOptions& options, input::RunSpec& run);

/// Throws Error{io} if the files could not be written in the end, Error{bad_input} if two of them,
/// or what the run keeps, or one of `inputs`, are one file. Only a run's --save may be its guess.
void check_outputs(const OutputOptions& options, const std::vector<std::string>& inputs,
                   const input::RunSpec& run);

/// Runs a job, from a checkpoint if one is given, and tells the results. Signals stop it, and ask
/// for checkpoints where it takes any. Returns the exit code, unless a driver did not return: then
/// it ends the session and the process. Of several processes, `session`, all call this; the first
/// one prints.
/// `told`: gets what came of it, in a process that prints; then no error is printed for a method
/// that did not converge, or for a signal.
[[nodiscard]] int execute(const job::Job& job, const OutputOptions& options,
                          const job::SavedRun* from, std::unique_ptr<fabric::MpiSession>& session,
                          report::ListedJob* told = nullptr);

}  // namespace blockyard::app
