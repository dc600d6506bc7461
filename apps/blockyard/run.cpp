// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/run.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/device_options.h"
#include "apps/blockyard/execute.h"
#include "apps/blockyard/job_files.h"
#include "apps/blockyard/join.h"
#include "apps/blockyard/output.h"
#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/job/input.h"
#include "blockyard/job/job_bytes.h"
#include "blockyard/job/plan/plan.h"
#include "blockyard/job/processes.h"

namespace blockyard::app {

namespace {

struct RunOptions {
  std::string fabric = "auto";
  std::vector<std::string> files;
  std::vector<std::string> constants;
  std::vector<std::string> segments;
  std::vector<std::string> supers;
  std::vector<std::string> imports;
  std::vector<std::string> programs;
  std::optional<int> workers;
  std::optional<int> servers;
  std::string memory;
  std::string scratch;
  std::string persistent;
  std::string guess;
  std::string save;
  std::string pardo;
  std::string prefetch;
  std::string fabric_delay;
  DeviceOptions device;
  std::optional<std::uint64_t> seed;
  std::string checkpoint;
  std::string checkpoint_folder;
  OutputOptions output;
  bool check = false;
  bool deterministic = false;
};

/// Puts the options of the command line in, which win.
void merge(const RunOptions& options, job::Spec& spec) try {
  job::RunSpec& run = spec.run;
  if (options.workers) run.workers = options.workers;
  if (options.servers) run.servers = options.servers;
  if (!options.memory.empty()) run.memory_bytes = base::parse_bytes(options.memory, "--memory");
  if (!options.scratch.empty()) run.scratch = options.scratch;
  if (!options.persistent.empty()) run.persistent = options.persistent;
  if (!options.guess.empty()) run.guess = options.guess;
  if (!options.save.empty()) run.save = options.save;
  if (!options.checkpoint.empty())
    run.checkpoint_seconds = base::parse_seconds(options.checkpoint, "--checkpoint");
  if (!options.checkpoint_folder.empty()) run.checkpoint_folder = options.checkpoint_folder;
  if (!options.pardo.empty()) run.pardo = job::parse_policy(options.pardo);
  if (!options.prefetch.empty()) run.prefetch = worker::parse_prefetch(options.prefetch);
  if (!options.fabric_delay.empty()) run.fabric_delay = fabric::parse_delay(options.fabric_delay);
  merge(options.device, run.device);
  if (options.seed) run.seed = options.seed;
  run.check = run.check || options.check;
  run.deterministic = run.deterministic || options.deterministic;
  run.supers.insert(run.supers.end(), options.supers.begin(), options.supers.end());
  for (const std::string& text : options.constants) job::set_constant(spec, text);
  for (const std::string& text : options.segments) job::set_segments(spec, text);
  if (run.checkpoint_seconds && run.checkpoint_folder.empty())
    run.checkpoint_folder =
        std::filesystem::path(options.files.front()).stem().string() + ".checkpoint";
} catch (const base::Error& error) {
  throw UsageError(error.what());
}

void warn_of_memory(const job::Job& job) {
  const std::string warning = job::memory_warning(job.memory.total_bytes, job.processes_on_node);
  if (!warning.empty()) fmt::print(stderr, "warning: {}\n", warning);
}

void warn_of_disk(const job::Job& job) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path scratch =
      job.run.scratch.empty() ? fs::temp_directory_path(error) : fs::path(job.run.scratch);
  const fs::space_info space = fs::space(scratch, error);
  const std::string warning = job::disk_warning(
      job, error ? std::nullopt : std::optional(static_cast<double>(space.available)));
  if (!warning.empty()) print_error("warning: {}\n", warning);
}

/// Nothing if a program has errors, which are told.
std::optional<job::Job> prepare(const RunOptions& options, const std::string& library,
                                const job::ProcessCount& processes) {
  job::Spec spec = read_job_files(options.files, options.programs);
  merge(options, spec);
  note_for_outputs(options.output, spec.run);
  check_outputs(options.output);
  job::Places places = find_places(library);
  places.imports = options.imports;
  job::Prepared prepared = job::prepare(spec, places, processes);
  tell_diagnostics(prepared.found);
  if (prepared.job && !options.output.quiet) {
    warn_of_memory(*prepared.job);
    warn_of_disk(*prepared.job);
  }
  return std::move(prepared.job);
}

/// Process 0 reads and compiles all there is, and gives it to the others.
std::optional<job::Job> share_job(const RunOptions& options, const std::string& library,
                                  fabric::MpiSession& session) {
  job::check_builds(session);
  const job::ProcessCount processes = job::count_processes(&session);
  std::string wrong_usage;
  const std::vector<std::byte> mark_of_wrong_usage(1);
  const auto bytes = job::share(session, [&] {
    try {
      const auto job = prepare(options, library, processes);
      return job ? job::encode(*job) : std::vector<std::byte>();
    } catch (const UsageError& error) {
      wrong_usage = error.what();
      return mark_of_wrong_usage;
    }
  });
  if (bytes == mark_of_wrong_usage) throw UsageError(wrong_usage);
  std::optional<job::Job> job;
  if (!bytes.empty()) job::agree(session, [&] { job = job::decode_job(bytes); });
  return job;
}

int run(const RunOptions& options, const std::string& library) {
  auto session = join_processes(options.fabric);
  return run_quietly(session.get(), [&] {
    const auto job =
        session ? share_job(options, library, *session) : prepare(options, library, {});
    return job ? execute(*job, options.output, nullptr, session) : exit_error;
  });
}

void add_rank_options(CLI::App& command, RunOptions& options) {
  const CLI::Range count(1, 4096);
  add_fabric_option(command, options.fabric);
  command
      .add_option("-w,--workers", options.workers,
                  "workers of each process (default: one per core)")
      ->check(count);
  command
      .add_option("-s,--servers", options.servers,
                  "servers (default: 1); under mpirun: processes that only serve (default: none, "
                  "each process serves too)")
      ->check(count);
  command.add_option("--memory", options.memory,
                     "memory of each process, like 4G (default: 70 % of what is free)");
  command.add_option("--scratch", options.scratch, "folder for spilled blocks")->type_name("DIR");
  command.add_option(
      "--pardo", options.pardo,
      "how iterations are dealt out: sequential, static, balanced, dynamic or locality");
  command.add_option("--prefetch", options.prefetch,
                     "blocks that each get asks for in advance: auto (default) or 0 to 64");
  command.add_option("--fabric-delay", options.fabric_delay,
                     "make messages as slow as on a network, like 100us,1GB/s (for measurements)");
  command.add_flag("--check", options.check, "find races, uninitialised reads and leaks");
  command.add_flag("--deterministic", options.deterministic,
                   "the same bits in every run with as many workers (more memory on servers)");
  command.add_option("--seed", options.seed, "of a random order of messages, for tests");
}

}  // namespace

void add_run(CLI::App& app, Commands& commands, const std::string& library) {
  CLI::App* command = app.add_subcommand("run", "Run a job file, or SIAL programs");
  const auto options = std::make_shared<RunOptions>();  // shared with the function below
  command
      ->add_option("files", options->files,
                   "job.toml, ZMAT, job.dat, or programs (SIAL or compiled), in order")
      ->required();
  command
      ->add_option("--programs", options->programs,
                   "folder of the programs that a .dat file or ZMAT names, or of folders with them "
                   "(default: its own)")
      ->type_name("DIR")
      ->allow_extra_args(false);
  command->add_option("--set", options->constants, "a constant of the programs: name=number")
      ->allow_extra_args(false);
  command->add_option("--segments", options->segments, "extents of the segments: ao=5,6,7,8")
      ->allow_extra_args(false);
  command->add_option("--super", options->supers, "shared object with super instructions")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command->add_option("-I,--import", options->imports, "look for imports in this folder too")
      ->type_name("DIR")
      ->allow_extra_args(false);
  command
      ->add_option("--persistent", options->persistent,
                   "HDF5 file of what is kept: read before, written after")
      ->type_name("FILE");
  command
      ->add_option("--guess", options->guess,
                   "start from the orbitals and amplitudes that an earlier job saved")
      ->type_name("FILE");
  command->add_option("--save", options->save, "save orbitals and amplitudes (HDF5) for --guess")
      ->type_name("FILE");
  command->add_option("--checkpoint", options->checkpoint,
                      "take a checkpoint every so often (10m, 2h), at the next barrier");
  command
      ->add_option("--checkpoint-dir", options->checkpoint_folder,
                   "folder for checkpoints (default: JOB.checkpoint); also on SIGUSR1 and SIGTERM")
      ->type_name("DIR");
  add_rank_options(*command, *options);
  add_device_options(*command, options->device);
  add_output_options(*command, options->output);
  commands[command] = [options, &library] { return run(*options, library); };
}

}  // namespace blockyard::app
