// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/blockyard/execute.h"
#include "apps/blockyard/ring_devices.h"
#include "apps/blockyard/run_options.h"
#include "blockyard/lattice/simulate.h"

namespace blockyard::app {

/// What the command line says of a simulation.
struct HubbardRun {
  std::string file;
  int ranks = 0;
  std::optional<std::int64_t> memory_bytes = {};
  std::string json = {};
  bool quiet = false;
  std::optional<double> checkpoint_seconds = {};  ///< between two
  std::string checkpoint_dir = {};                ///< or empty
  std::optional<int> ring = {};                   ///< other than that of the job
  RingDeviceChoice device = {""};                 ///< kind empty: that of the job
  std::string report = {};                        ///< file for `blockyard report`, or empty
};

/// Throws UsageError if `command` was given an option that is none of `known`.
void check_lattice_options(const CLI::App& command, const std::string& file,
                           const std::vector<std::string>& known);

/// From the options that `run` and `resume` share. Throws UsageError.
[[nodiscard]] HubbardRun hubbard_run(const std::string& file, const RunOptionValues& values,
                                     const OutputOptions& output);

/// Collective. What the checkpoint that process 0 reads says of its run.
[[nodiscard]] lattice::SavedHead share_head(const std::string& file, fabric::MpiSession* session);

/// What a checkpoint keeps of a command line, in that many processes.
[[nodiscard]] std::string text_of_options(const HubbardRun& run, int processes);

/// What the command line does not say is as in `options`, from a checkpoint; the ring only where
/// there are as many ranks. Throws Error{bad_input}.
[[nodiscard]] HubbardRun as_before(HubbardRun run, int processes, const std::string& options);

/// Whether a file is TOML with a table [lattice]. False for what cannot be read.
[[nodiscard]] bool is_lattice_job(const std::string& path);

/// Reads the text of a job: docs/how_to/hubbard_job.md. Throws Error{bad_input} with file and line.
[[nodiscard]] lattice::HubbardJob read_hubbard_job(const std::string& text,
                                                   const std::string& path);

/// The name by which the file of the job has to name another one.
[[nodiscard]] std::string seen_from_job(const std::string& file, const lattice::HubbardJob& job);

/// Of error bars that are too small: few samples carry the variance, or bins are short.
void warn_of_errors(const lattice::HubbardJob& job, const lattice::HubbardReport& report);

/// The file of results, and next to it that of the self-energy.
void set_output(const std::string& output, lattice::HubbardJob& job);

/// Collective. Runs the job of this text, alone or in all processes of mpirun, and prints the
/// results. Returns the exit code.
[[nodiscard]] int run_hubbard(const HubbardRun& run, const std::string& text,
                              fabric::MpiSession* session);

/// Prints what a run of it with this many processes would need.
[[nodiscard]] int plan_hubbard(const HubbardRun& run, int processes);

/// Collective. Goes on from the checkpoint that `run.file` is.
[[nodiscard]] int resume_hubbard(const HubbardRun& run, fabric::MpiSession* session);

}  // namespace blockyard::app
