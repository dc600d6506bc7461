// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <string>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/execute.h"
#include "apps/blockyard/hubbard.h"
#include "apps/blockyard/join.h"
#include "apps/blockyard/output.h"
#include "apps/blockyard/run_options.h"
#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/fabric/mpi/agree.h"
#include "blockyard/job/checkpoint.h"
#include "blockyard/job/processes.h"

namespace blockyard::app {

namespace {

struct ResumeOptions {
  std::string fabric = "auto";
  std::string folder;
  std::string ring;
  RunOptionValues run;
  OutputOptions output;
};

input::RunSpec wanted(const ResumeOptions& options) try {
  input::RunSpec run;
  merge(options.run, run);  // what is wrong is said before anything is read
  return run;
} catch (const base::Error& error) {
  throw UsageError(error.what());
}

/// Resumes a simulation of a lattice; `file` is its checkpoint.
int resume_lattice(const ResumeOptions& options, const CLI::App& command, const std::string& file,
                   fabric::MpiSession* session) {
  check_lattice_options(
      command, options.folder,
      {"--fabric", "--ring", "--workers", "--memory", "--device", "--device-options",
       "--device-memory", "--checkpoint", "--json", "--report", "--quiet"});
  HubbardRun run = hubbard_run(file, options.run, options.output);
  if (!options.ring.empty()) run.ring = read_usage([&] { return ring::parse_size(options.ring); });
  return resume_hubbard(run, session);
}

int resume_programs(const ResumeOptions& options, std::unique_ptr<fabric::MpiSession>& session) {
  const input::RunSpec run = wanted(options);
  const job::ProcessCount processes = job::count_processes(session.get());
  const bool is_first = !session || session->process() == 0;
  const auto checkpoint = job::find_checkpoint(options.folder, session.get());
  job::SavedRun saved = job::open_checkpoint(checkpoint, session.get());
  fabric::agree(session.get(), [&] {
    if (is_first) check_outputs(options.output, {}, saved.job.run);
    report::check_exports(saved.job, options.output.exports);
    input::DeviceSpec& device = saved.job.run.device;
    merge(options.run, device);
    device.plugins = find_places("").plugins;  // of the Blockyard that resumes
    note_for_outputs(options.output, saved.job.run);
  });
  job::change_ranks(saved, run, processes, session.get());
  if (is_first && !options.output.quiet)
    print_error("resuming {} in program {} of {} from {}\n", base::showable(saved.job.title),
                saved.step + 1, saved.job.steps.size(), saved.place.folder);
  return execute(saved.job, options.output, &saved, session);
}

int resume(const ResumeOptions& options, const CLI::App& command) {
  auto session = join_processes(options.fabric);
  return run_quietly(session.get(), [&] {
    if (session) job::check_builds(*session);
    const std::string saved_lattice =
        share_text(session.get(), [&] { return lattice::newest_checkpoint(options.folder); });
    if (!saved_lattice.empty())
      return resume_lattice(options, command, saved_lattice, session.get());
    if (!options.ring.empty())
      throw UsageError("--ring is for a simulation of a lattice; there is none in " +
                       options.folder);
    return resume_programs(options, session);
  });
}

}  // namespace

void add_resume(CLI::App& app, Commands& commands) {
  CLI::App* command = app.add_subcommand("resume", "Resume a run from its last checkpoint");
  const auto options = std::make_shared<ResumeOptions>();  // shared with the function below
  command->add_option("folder", options->folder, "folder of checkpoints, or one checkpoint")
      ->required()
      ->type_name("DIR");
  command->add_option("--ring", options->ring,
                      "of a lattice: ranks of a ring, auto (the fewest that fit) or a number");
  add_fabric_option(*command, options->fabric);
  add_run_options(*command, options->run, true);
  add_output_options(*command, options->output);
  commands[command] = [options, command] { return resume(*options, *command); };
}

}  // namespace blockyard::app
