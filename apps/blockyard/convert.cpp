// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/job_files.h"
#include "apps/blockyard/output.h"
#include "apps/blockyard/setting_options.h"
#include "blockyard/aces/dat/dat_job.h"
#include "blockyard/input/job_text.h"
#include "blockyard/job/files.h"
#include "blockyard/job/job.h"
#include "blockyard/store/apart.h"

namespace blockyard::app {

namespace {

struct ConvertOptions {
  std::string from;
  std::string to;
  std::vector<std::string> programs;
  std::vector<std::string> set;
  SettingOptions settings;
};

/// The job as a .dat file, or nothing if its programs have errors, which are told.
std::optional<std::string> dat_text(const std::string& file, const input::Spec& spec,
                                    const input::Places& places) {
  const job::Prepared prepared = prepare_job(file, spec, places);
  tell_diagnostics(prepared.found);
  if (!prepared.job) return std::nullopt;
  const std::vector<std::byte> bytes =
      aces::dat::write_dat(aces::dat::make_dat(job::ready_job(*prepared.job), spec));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

int convert(const ConvertOptions& options, const std::string& library) {
  const bool to_dat = aces::dat::is_dat_name(options.to);
  if (!to_dat && options.to != "-" && !options.to.ends_with(".toml"))
    throw UsageError(options.to + ": the name of a job file ends in .toml or .dat");
  for (const std::string& text : options.set)
    if (!input::is_setting(text))
      throw UsageError(
          fmt::format("--set: \"{}\" is not of the form KEY=VALUE, as method.frozen_core=2", text));
  refuse_pipes({options.from});
  const input::Spec spec =
      read_job_files({options.from}, options.programs, settings_of(options.settings, options.set));
  const input::Places places = find_places(library);
  std::vector<std::string> read = job::files_read(spec, places);
  read.push_back(options.from);
  store::check_apart(read, {options.to});
  const auto text = to_dat ? dat_text(options.from, spec, places)
                           : input::job_text(spec, std::filesystem::path(options.to).parent_path());
  if (!text) return exit_error;
  Output(stdout).write_file(options.to, *text);
  return 0;
}

}  // namespace

void add_convert(CLI::App& app, Commands& commands, const std::string& library) {
  CLI::App* command = app.add_subcommand(
      "convert", "Convert between job files: .toml, ZMAT, .xyz, .json of QCSchema, .dat of ACES4");
  const auto options = std::make_shared<ConvertOptions>();  // shared with the function below
  command
      ->add_option("from", options->from,
                   "job file to read: .toml, ZMAT, .xyz, .json (QCSchema) or .dat")
      ->required();
  add_setting_options(*command, options->settings);
  command->add_option("--set", options->set, "set keys of the job file: method.frozen_core=2")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command
      ->add_option("to", options->to,
                   "job file to write: .toml, or .dat for ACES4 ('-': .toml on standard output)")
      ->required();
  command
      ->add_option("--programs", options->programs,
                   "where the programs named by a .dat file or ZMAT are (see blockyard run)")
      ->type_name("DIR")
      ->allow_extra_args(false);
  commands[command] = [options, &library] { return convert(*options, library); };
}

}  // namespace blockyard::app
