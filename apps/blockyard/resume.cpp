// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <string>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/device_options.h"
#include "apps/blockyard/execute.h"
#include "apps/blockyard/join.h"
#include "apps/blockyard/output.h"
#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/job/checkpoint.h"
#include "blockyard/job/processes.h"

namespace blockyard::app {

namespace {

struct ResumeOptions {
  std::string fabric = "auto";
  std::string folder;
  job::RunSpec wanted;
  std::string memory;
  std::string checkpoint;
  DeviceOptions device;
  OutputOptions output;
};

job::RunSpec wanted(const ResumeOptions& options) try {
  job::RunSpec run = options.wanted;
  if (!options.memory.empty()) run.memory_bytes = base::parse_bytes(options.memory, "--memory");
  if (!options.checkpoint.empty())
    run.checkpoint_seconds = base::parse_seconds(options.checkpoint, "--checkpoint");
  job::DeviceSpec device;
  merge(options.device, device);  // what is wrong is said before anything is read
  return run;
} catch (const base::Error& error) {
  throw UsageError(error.what());
}

int resume(const ResumeOptions& options) {
  const job::RunSpec run = wanted(options);
  auto session = join_processes(options.fabric);
  return run_quietly(session.get(), [&] {
    if (session) job::check_builds(*session);
    const job::ProcessCount processes = job::count_processes(session.get());
    const bool is_first = !session || session->process() == 0;
    std::optional<job::SavedRun> saved;
    const auto open = [&] {
      if (is_first) check_outputs(options.output);
      saved = job::open_checkpoint(options.folder);
      job::DeviceSpec& device = saved->job.run.device;
      merge(options.device, device);
      device.plugins = find_places("").plugins;  // of the Blockyard that goes on
      note_for_outputs(options.output, saved->job.run);
      job::change_ranks(*saved, run, processes);
    };
    if (session)
      job::agree(*session, open);
    else
      open();
    if (is_first && !options.output.quiet)
      print_error("resuming {} in program {} of {} from {}\n", base::showable(saved->job.title),
                  saved->step + 1, saved->job.steps.size(), saved->place.folder);
    return execute(saved->job, options.output, &*saved, session);
  });
}

}  // namespace

void add_resume(CLI::App& app, Commands& commands) {
  CLI::App* command = app.add_subcommand("resume", "Go on from the last checkpoint of a run");
  const auto options = std::make_shared<ResumeOptions>();  // shared with the function below
  const CLI::Range count(1, 4096);
  command->add_option("folder", options->folder, "folder of the checkpoints, or one of them")
      ->required()
      ->type_name("DIR");
  add_fabric_option(*command, options->fabric);
  command->add_option("-w,--workers", options->wanted.workers, "workers (default: as before)")
      ->check(count);
  command->add_option("-s,--servers", options->wanted.servers, "servers (default: as before)")
      ->check(count);
  command->add_option("--memory", options->memory,
                      "memory of the whole process (default: as before)");
  command->add_option("--scratch", options->wanted.scratch, "folder for spilled blocks")
      ->type_name("DIR");
  command->add_option("--checkpoint", options->checkpoint,
                      "take a checkpoint every so often (default: as before)");
  add_device_options(*command, options->device);
  command->add_option("--seed", options->wanted.seed, "of a random order of messages, for tests");
  add_output_options(*command, options->output);
  commands[command] = [options] { return resume(*options); };
}

}  // namespace blockyard::app
