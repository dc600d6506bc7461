// SPDX-License-Identifier: Apache-2.0
#include "blockyard/plan/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <optional>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/help.h"
#include "apps/blockyard/hubbard.h"
#include "apps/blockyard/job_files.h"
#include "apps/blockyard/machine_file.h"
#include "apps/blockyard/output.h"
#include "apps/blockyard/setting_options.h"
#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/base/split.h"
#include "blockyard/base/table.h"
#include "blockyard/base/text.h"
#include "blockyard/input/job_file.h"
#include "blockyard/input/words.h"
#include "blockyard/job/files.h"
#include "blockyard/report/report.h"
#include "blockyard/store/apart.h"

namespace blockyard::app {

namespace {

struct PlanCommand {
  std::vector<std::string> files;
  std::vector<std::string> programs;
  std::vector<std::string> constants;
  SettingOptions settings;
  std::vector<std::string> segments;
  std::vector<std::string> supers;
  std::vector<std::string> imports;
  std::vector<std::string> iterations;
  std::optional<int> workers;
  int processes = 1;
  std::string memory;
  std::string pardo;
  std::string machine;
  std::string json;
  double steps = 0;
  bool try_segments = true;
};

int count_of(std::string_view text) {
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size() || count < 1)
    throw UsageError(
        fmt::format("--iterations {}: must be a number from 1 on, or program=number", text));
  return count;
}

plan::PlanOptions plan_options(const PlanCommand& command) {
  plan::PlanOptions options;
  options.processes = command.processes;
  if (command.steps > 0) options.walk.steps = command.steps;
  for (const std::string& text : command.iterations) {
    const std::size_t at = text.find('=');
    if (at == std::string::npos)
      options.walk.iterations = count_of(text);
    else
      options.walk.iterations_of[text.substr(0, at)] =
          count_of(std::string_view(text).substr(at + 1));
  }
  return options;
}

std::optional<std::int64_t> memory_of(const PlanCommand& command) {
  if (command.memory.empty()) return std::nullopt;
  return read_usage([&] { return base::parse_bytes(command.memory, "--memory"); });
}

input::Spec read_input(const PlanCommand& command) {
  input::Spec spec = read_job_files(command.files, command.programs,
                                    settings_of(command.settings, command.constants));
  try {
    if (command.workers) spec.run.workers = command.workers;
    if (const auto bytes = memory_of(command)) spec.run.memory_bytes = bytes;
    if (!command.pardo.empty()) spec.run.pardo = input::parse_policy(command.pardo);
    for (const std::string& text : command.constants)
      if (!input::is_setting(text)) input::set_constant(spec, text);
    for (const std::string& text : command.segments) input::set_segments(spec, text);
  } catch (const base::Error& error) {
    throw UsageError(error.what());
  }
  spec.run.supers.insert(spec.run.supers.end(), command.supers.begin(), command.supers.end());
  return spec;
}

/// Long lines of "  programs   a, b, c" continue below their text.
std::string wrap_lines(const std::string& text, std::size_t width) {
  constexpr std::size_t indent = 13;
  std::string wrapped;
  std::vector<std::string> lines = base::split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  for (const std::string& line : lines) wrapped += base::wrap(line, width, indent) + "\n";
  return wrapped;
}

/// Throws UsageError if --iterations names a program that the job does not have.
void check_names(const plan::PlanOptions& options, const job::Job& job) {
  std::vector<std::string> names;
  for (const job::Step& step : job.steps) names.push_back(step.name);
  for (const auto& [name, count] : options.walk.iterations_of)
    if (std::ranges::find(names, name) == names.end())
      throw UsageError(fmt::format("--iterations {}={}: the programs are {}", name, count,
                                   fmt::join(names, ", ")));
}

int plan_lattice(const PlanCommand& command, const CLI::App& app) {
  const std::string& file = command.files.front();
  check_lattice_options(app, file, {"--processes", "--workers", "--memory", "--json"});
  return plan_hubbard({.file = file,
                       .ranks = command.workers.value_or(0),
                       .memory_bytes = memory_of(command),
                       .json = command.json},
                      command.processes);
}

int plan(const PlanCommand& command, const CLI::App& app, const std::string& library) {
  constexpr std::int64_t most_ranks = std::int64_t{1} << 24;
  if (std::int64_t{command.processes} * command.workers.value_or(1) > most_ranks)
    throw UsageError(fmt::format("-n {} and -w {}: more than {} workers", command.processes,
                                 command.workers.value_or(1), most_ranks));
  refuse_pipes(command.files);
  if (command.files.size() == 1 && is_lattice_job(command.files.front()))
    return plan_lattice(command, app);
  plan::PlanOptions options = plan_options(command);
  const input::Spec spec = read_input(command);
  check_writable(command.json);
  std::vector<std::string> inputs = command.files;
  inputs.push_back(command.machine.empty() ? machine_file() : command.machine);
  input::Places places = find_places(library);
  places.imports = command.imports;
  for (std::string& file : job::files_read(spec, places)) inputs.push_back(std::move(file));
  store::check_apart(inputs, {command.json});
  const plan::Machine machine = find_machine(command.machine);
  const double begin = base::now_seconds();
  const job::Prepared prepared = prepare_job(command.files.front(), spec, places);
  options.prepare_seconds = base::now_seconds() - begin;
  tell_diagnostics(prepared.found);
  if (!prepared.job) return exit_error;
  check_names(options, *prepared.job);
  const plan::JobPlan found = plan::make_plan(*prepared.job, machine, options);
  const std::vector<plan::SegmentTrial> trials =
      command.try_segments ? plan::try_segments(spec, places, machine, options)
                           : std::vector<plan::SegmentTrial>();
  Output output(command.json == "-" ? stderr : stdout);
  const std::size_t width = terminal_width();
  if (prepared.job->chemistry) output.print(wrap_lines(report::print_input(*prepared.job), width));
  output.print(plan::print_plan(found, width) + plan::print_trials(trials, width));
  if (!command.json.empty()) output.write_file(command.json, plan::plan_json(found, trials));
  return 0;
}

void add_options(CLI::App& app, PlanCommand& command) {
  const CLI::Range count(1, 1 << 20);
  app.add_option("files", command.files,
                 "a job file (.toml, ZMAT, .dat, .xyz, QCSchema .json, '-'), or programs (SIAL or "
                 "compiled) in the order "
                 "in which they run")
      ->required();
  add_setting_options(app, command.settings);
  app.add_option("--programs", command.programs,
                 "where the programs named by a .dat file or ZMAT are (see blockyard run)")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app.add_option("-n,--processes", command.processes,
                 "number of processes, as for mpirun -n (default: 1)")
      ->check(count);
  app.add_option("-w,--workers", command.workers, "workers per process (default: one per core)")
      ->check(CLI::Range(1, 4096));
  app.add_option("--memory", command.memory,
                 "memory per process, such as 4G (default: 70 % of what is free)")
      ->type_name("SIZE");
  app.add_option("--iterations", command.iterations,
                 "iterations of loops that end on convergence: 12 for all, or program=12")
      ->allow_extra_args(false)
      ->type_name("COUNT");
  app.add_option("--machine", command.machine,
                 "plan for another machine, measured there by blockyard calibrate")
      ->type_name("FILE");
  app.add_option("--pardo", command.pardo, "how pardo iterations are scheduled (see blockyard run)")
      ->type_name("POLICY");
  app.add_option("--steps", command.steps,
                 "instructions to walk through in each program before sampling (default: 5e7)")
      ->check(CLI::Range(1.0, 1e15));
  app.add_flag("!--no-segments", command.try_segments, "do not try other segment sizes");
  app.add_option("--json", command.json, "write the plan to this file ('-': standard output)")
      ->type_name("FILE");
  app.add_option("--set", command.constants,
                 "set constants of the programs (--set n=2 x=0.5) or keys of the job file "
                 "(--set method.frozen_core=2)")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--segments", command.segments, "segment an index kind (see blockyard run)")
      ->type_name("KIND=LENGTHS")
      ->allow_extra_args(false);
  app.add_option("--super", command.supers, "load super instructions from this shared object")
      ->type_name("FILE")
      ->allow_extra_args(false);
  add_import_option(app, command.imports);
}

}  // namespace

void add_plan(CLI::App& app, Commands& commands, const std::string& library) {
  CLI::App* command = app.add_subcommand("plan", "Predict the memory, disk and time a run needs");
  const auto options = std::make_shared<PlanCommand>();  // shared with the function below
  add_options(*command, *options);
  commands[command] = [options, command, &library] { return plan(*options, *command, library); };
}

}  // namespace blockyard::app
