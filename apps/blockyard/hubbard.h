// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "apps/blockyard/execute.h"
#include "apps/blockyard/ring_devices.h"
#include "apps/blockyard/run_options.h"
#include "blockyard/lattice/simulate.h"

namespace blockyard::app {

/// What the command line says of a simulation.
struct HubbardRun {
  std::string file;
  std::string fabric = {};
  int ranks = 0;
  std::string memory = {};
  std::string json = {};
  bool quiet = false;
  std::string checkpoint = {};      ///< time between two, or empty
  std::string checkpoint_dir = {};  ///< or empty
  std::string ring = {};            ///< other than that of the job, or empty
  RingDeviceChoice device = {""};   ///< kind empty: that of the job
  std::string report = {};          ///< file for `blockyard report`, or empty
};

/// From the options that `run` and `resume` share.
[[nodiscard]] HubbardRun hubbard_run(const std::string& file, const std::string& fabric,
                                     const RunOptionValues& values, const OutputOptions& output);

/// Whether a file is TOML with a table [lattice]. False for what cannot be read.
[[nodiscard]] bool is_lattice_job(const std::string& path);

/// Reads the text of a job: docs/how_to/hubbard_job.md. Throws Error{bad_input} with file and line.
[[nodiscard]] lattice::HubbardJob read_hubbard_job(const std::string& text,
                                                   const std::string& path);

/// Runs it, alone or in all processes of mpirun, and prints the results. Returns the exit code.
[[nodiscard]] int run_hubbard(const HubbardRun& run);

/// Prints what a run of it with this many processes would need.
[[nodiscard]] int plan_hubbard(const HubbardRun& run, int processes);

/// Goes on from the checkpoint that `run.file` is.
[[nodiscard]] int resume_hubbard(const HubbardRun& run);

}  // namespace blockyard::app
