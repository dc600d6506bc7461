// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/job_files.h"
#include "apps/blockyard/output.h"
#include "blockyard/job/dat/dat_job.h"
#include "blockyard/job/job_text.h"

namespace blockyard::app {

namespace {

struct ConvertOptions {
  std::string from;
  std::string to;
  std::vector<std::string> programs;
};

/// The job as a .dat file, or nothing if its programs have errors, which are told.
std::optional<std::string> dat_text(const job::Spec& spec, const std::string& library) {
  const job::Prepared prepared = job::prepare(spec, find_places(library));
  tell_diagnostics(prepared.found);
  if (!prepared.job) return std::nullopt;
  const std::vector<std::byte> bytes = job::dat::write_dat(job::dat::make_dat(*prepared.job, spec));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

int convert(const ConvertOptions& options, const std::string& library) {
  const bool to_dat = job::dat::is_dat_name(options.to);
  if (!to_dat && options.to != "-" && !options.to.ends_with(".toml"))
    throw UsageError(options.to + ": the name of a job file ends in .toml or .dat");
  const job::Spec spec = read_job_files({options.from}, options.programs);
  const auto text = to_dat ? dat_text(spec, library) : job::job_text(spec);
  if (!text) return exit_error;
  Output(stdout).write_file(options.to, *text);
  return 0;
}

}  // namespace

void add_convert(CLI::App& app, Commands& commands, const std::string& library) {
  CLI::App* command = app.add_subcommand(
      "convert", "Make a job file of a ZMAT or of a job file of ACES4 (.dat), or a .dat of a job");
  const auto options = std::make_shared<ConvertOptions>();  // shared with the function below
  command->add_option("from", options->from, "ZMAT, job.dat or job.toml")->required();
  command
      ->add_option("to", options->to,
                   "job file to write ('-': standard output); ending in .dat: one of ACES4")
      ->required();
  command
      ->add_option("--programs", options->programs,
                   "folder of the programs that a .dat file or ZMAT names, or of folders with them "
                   "(default: its own)")
      ->type_name("DIR")
      ->allow_extra_args(false);
  commands[command] = [options, &library] { return convert(*options, library); };
}

}  // namespace blockyard::app
