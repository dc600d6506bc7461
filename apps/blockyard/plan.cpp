// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/plan/plan.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <memory>
#include <optional>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/job_files.h"
#include "apps/blockyard/machine_file.h"
#include "apps/blockyard/output.h"
#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/job/input.h"
#include "blockyard/job/report.h"

namespace blockyard::app {

namespace {

struct PlanCommand {
  std::vector<std::string> files;
  std::vector<std::string> programs;
  std::vector<std::string> constants;
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

job::PlanOptions plan_options(const PlanCommand& command) {
  job::PlanOptions options;
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

job::Spec read_input(const PlanCommand& command) {
  job::Spec spec = read_job_files(command.files, command.programs);
  try {
    if (command.workers) spec.run.workers = command.workers;
    if (!command.memory.empty())
      spec.run.memory_bytes = base::parse_bytes(command.memory, "--memory");
    if (!command.pardo.empty()) spec.run.pardo = job::parse_policy(command.pardo);
    for (const std::string& text : command.constants) job::set_constant(spec, text);
    for (const std::string& text : command.segments) job::set_segments(spec, text);
  } catch (const base::Error& error) {
    throw UsageError(error.what());
  }
  spec.run.supers.insert(spec.run.supers.end(), command.supers.begin(), command.supers.end());
  return spec;
}

int plan(const PlanCommand& command, const std::string& library) {
  job::PlanOptions options = plan_options(command);
  const job::Spec spec = read_input(command);
  check_writable(command.json);
  const job::Machine machine = find_machine(command.machine);
  job::Places places = find_places(library);
  places.imports = command.imports;
  const double begin = base::now_seconds();
  const job::Prepared prepared = job::prepare(spec, places);
  options.prepare_seconds = base::now_seconds() - begin;
  tell_diagnostics(prepared.found);
  if (!prepared.job) return exit_error;
  const job::JobPlan found = job::make_plan(*prepared.job, machine, options);
  const std::vector<job::SegmentTrial> trials =
      command.try_segments ? job::try_segments(spec, places, machine, options)
                           : std::vector<job::SegmentTrial>();
  Output output(command.json == "-" ? stderr : stdout);
  if (prepared.job->chemistry) output.print(job::print_input(*prepared.job));
  output.print(job::print_plan(found) + job::print_trials(trials));
  if (!command.json.empty()) output.write_file(command.json, job::plan_json(found, trials));
  return 0;
}

void add_options(CLI::App& app, PlanCommand& command) {
  const CLI::Range count(1, 1 << 20);
  app.add_option("files", command.files,
                 "job.toml, ZMAT, job.dat, or programs (SIAL or compiled), in order")
      ->required();
  app.add_option("--programs", command.programs,
                 "folder of the programs that a .dat file or ZMAT names, as of blockyard run")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app.add_option("-n,--processes", command.processes, "processes, as of mpirun -n (default: 1)")
      ->check(count);
  app.add_option("-w,--workers", command.workers, "workers of a process (default: one per core)")
      ->check(CLI::Range(1, 4096));
  app.add_option("--memory", command.memory,
                 "memory of each process, like 4G (default: 70 % of what is free)");
  app.add_option("--iterations", command.iterations,
                 "of loops that end on convergence: 12, or program=12")
      ->allow_extra_args(false);
  app.add_option("--machine", command.machine, "rates of another machine (blockyard calibrate)")
      ->type_name("FILE");
  app.add_option("--pardo", command.pardo, "how iterations are dealt out, as of blockyard run");
  app.add_option("--steps", command.steps,
                 "instructions to walk through in a program; more are sampled (default: 5e7)");
  app.add_flag("!--no-segments", command.try_segments, "do not try other segment sizes");
  app.add_option("--json", command.json, "write the plan to this file ('-': standard output)")
      ->type_name("FILE");
  app.add_option("--set", command.constants, "a constant of the programs: name=number")
      ->allow_extra_args(false);
  app.add_option("--segments", command.segments, "extents of the segments: ao=5,6,7,8")
      ->allow_extra_args(false);
  app.add_option("--super", command.supers, "shared object with super instructions")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("-I,--import", command.imports, "look for imports in this folder too")
      ->type_name("DIR")
      ->allow_extra_args(false);
}

}  // namespace

void add_plan(CLI::App& app, Commands& commands, const std::string& library) {
  CLI::App* command =
      app.add_subcommand("plan", "Say what a run will need, and how long it will take");
  const auto options = std::make_shared<PlanCommand>();  // shared with the function below
  add_options(*command, *options);
  commands[command] = [options, &library] { return plan(*options, library); };
}

}  // namespace blockyard::app
