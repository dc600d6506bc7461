// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "blockyard/input/settings.h"
#include "blockyard/job/job.h"
#include "blockyard/sial/diagnostic.h"

namespace blockyard::app {

/// One job of a command line: a job file, or the programs of one.
struct JobSource {
  std::vector<std::string> files;
  input::Settings settings;  ///< of its place in a scan
  std::string name;
};

/// The jobs that files and scans (input::parse_scan) ask for: several job files are one each, SIAL
/// programs are one together, and each combination of the values of the scans makes one of each.
/// Throws UsageError for a mixture.
[[nodiscard]] std::vector<JobSource> list_jobs(const std::vector<std::string>& files,
                                               const std::vector<std::string>& scans);

/// What the files of a job say: a job file ("-": standard input), ZMAT, .dat file or .xyz file, or
/// SIAL programs in order; settings replace what it says. The programs that a .dat file or a ZMAT
/// names are looked for in the folders `programs` and those in them; without any, in its own
/// folder. Warnings go to standard error. Throws UsageError for a mixture, Error for what is wrong
/// in a file.
[[nodiscard]] input::Spec read_job_files(const std::vector<std::string>& files,
                                         const std::vector<std::string>& programs = {},
                                         const input::Settings& settings = {});

/// Throws Error{bad_input} if one of the files of a job is a pipe or a device: it gives its bytes
/// once, but files are looked at before they are read.
void refuse_pipes(const std::vector<std::string>& files);

/// As job::prepare for what `file`, the first of the command line, says: errors about what a job
/// file asks for begin with its name.
[[nodiscard]] job::Prepared prepare_job(const std::string& file, const input::Spec& spec,
                                        const input::Places& places,
                                        const job::ProcessCount& processes = {});

/// Tells what was found in programs, but names that are never used by their number only: they harm
/// no run, and older programs declare dozens.
void tell_diagnostics(const std::vector<sial::Diagnostic>& found);

}  // namespace blockyard::app
