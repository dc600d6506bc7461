// SPDX-License-Identifier: Apache-2.0
#include "apps/blockyard/execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/output.h"
#include "apps/blockyard/progress.h"
#include "apps/blockyard/signals.h"
#include "blockyard/base/error.h"
#include "blockyard/job/iteration_table.h"
#include "blockyard/job/live_socket.h"
#include "blockyard/job/report.h"
#include "blockyard/job/trace_file.h"

namespace blockyard::app {

namespace {

/// SIGTERM lets a run with checkpoints go on to the next barrier; any other ends it at once.
bool ends_at_checkpoint(const job::Job& job) {
  return !job.run.checkpoint_folder.empty() && noted_signal() == SIGTERM;
}

std::filesystem::path live_folder() { return job::live_folder(std::getenv("XDG_RUNTIME_DIR")); }

/// As it was typed, words apart.
std::string command_line() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::string words(std::istreambuf_iterator<char>(in), {});
  if (!words.empty()) words.pop_back();
  std::ranges::replace(words, '\0', ' ');
  return words;
}

job::Hooks make_hooks(const job::Job& job, std::function<void(std::string_view)> print,
                      Progress& progress, job::LiveSocket& live) {
  job::Hooks hooks;
  hooks.print = std::move(print);
  hooks.step_begins = [&](std::size_t step) { progress.begin_step(step); };
  hooks.look = [&](const job::LiveView& view) { live.answer(view); };
  hooks.stop_reason = [&]() -> std::string {
    progress.draw();
    if (noted_signal() == 0 || ends_at_checkpoint(job)) return "";
    return fmt::format("stopped by signal {}", noted_signal());
  };
  hooks.checkpoint_requests = checkpoint_signals;
  hooks.ends_after_checkpoint = [&] { return ends_at_checkpoint(job); };
  hooks.give_up = [](std::string_view cause) {
    fmt::print(stderr, "error: {}\n", cause);
    std::fflush(nullptr);
    std::_Exit(noted_signal() != 0 ? 128 + noted_signal() : exit_error);
  };
  return hooks;
}

void print_results(const OutputOptions& options, const job::Job& job, const job::Results& results,
                   const job::ReportContext& context, Output& output) {
  for (const job::StepResult& step : results.steps)
    for (const std::string& warning : step.warnings) fmt::print(stderr, "warning: {}\n", warning);
  if (job.chemistry && !options.quiet) output.print(job::print_summary(job, results));
  if (options.profile) output.print(job::print_profile(results));
  if (!options.json.empty()) output.write_file(options.json, job::results_json(job, results));
  if (!options.report.empty())
    output.write_file(options.report, job::metrics_json(job, results, context));
  if (!options.trace.empty()) output.write_file(options.trace, job::trace_file(job, results));
}

/// What came of a run, for who ends the process.
struct End {
  int code = 0;
  bool has_left_driver = false;
};

/// A process that does not print: it works until the run is over.
End assist(const job::Job& job, const job::SavedRun* from, fabric::MpiSession& session) {
  job::Hooks hooks;
  hooks.stop_reason = [&]() -> std::string {
    if (noted_signal() == 0 || ends_at_checkpoint(job)) return "";
    return fmt::format("stopped by signal {}", noted_signal());
  };
  hooks.checkpoint_requests = checkpoint_signals;
  hooks.ends_after_checkpoint = [&] { return ends_at_checkpoint(job); };
  hooks.give_up = [](std::string_view) { std::_Exit(exit_error); };
  job::LiveSocket live(job, live_folder(), &session);
  hooks.look = [&](const job::LiveView& view) { live.answer(view); };
  note_signals();
  return {0, job::run(job, hooks, from, &session).has_left_driver};
}

End lead(const job::Job& job, const OutputOptions& options, const job::SavedRun* from,
         fabric::MpiSession* session) {
  // Standard output belongs to the JSON where that is asked for.
  const job::ReportContext context =
      options.report.empty() ? job::ReportContext() : job::begin_report(job, command_line());
  Output output(options.json == "-" || options.report == "-" ? stderr : stdout);
  if (job.chemistry && !options.quiet) output.print(job::print_header(job));
  job::LiveSocket live(job, live_folder(), session);
  note_signals();
  try {
    Progress progress(job, options.quiet);
    const auto print = [&](std::string_view text) {
      progress.clear();
      output.print(text);
    };
    job::IterationTable table(print);
    const bool is_table = !job.method.empty();
    const job::Results results =
        job::run(job,
                 make_hooks(
                     job, [&](std::string_view text) { is_table ? table.add(text) : print(text); },
                     progress, live),
                 from, session);
    table.end();
    progress.clear();
    print_results(options, job, results, context, output);
    return {0, results.has_left_driver};
  } catch (const base::Error& error) {
    if (noted_signal() == 0) throw;
    fmt::print(stderr, "error: {}\n", error.what());
    return {128 + noted_signal(), false};
  }
}

}  // namespace

void add_output_options(CLI::App& command, OutputOptions& options) {
  command
      .add_option("--json", options.json, "write the results to this file ('-': standard output)")
      ->type_name("FILE");
  command
      .add_option("--report", options.report,
                  "write what was measured to this file; `blockyard report` makes a page of it")
      ->type_name("FILE");
  command
      .add_option("--trace", options.trace,
                  "write a time line to this file (.json.gz), for ui.perfetto.dev")
      ->type_name("FILE");
  command.add_flag("--profile", options.profile, "print where the time went");
  command.add_flag("--quiet", options.quiet, "print only what the programs print");
}

void check_outputs(const OutputOptions& options) {
  for (const std::string& file : {options.json, options.report, options.trace})
    check_writable(file);
}

void note_for_outputs(const OutputOptions& options, job::RunSpec& run) {
  run.report = !options.report.empty();
  run.has_trace = !options.trace.empty();
}

int execute(const job::Job& job, const OutputOptions& options, const job::SavedRun* from,
            std::unique_ptr<fabric::MpiSession>& session) {
  const bool is_lead = session == nullptr || session->process() == 0;
  const End end = is_lead ? lead(job, options, from, session.get()) : assist(job, from, *session);
  if (end.has_left_driver) {  // what libraries do at an ordinary end may wait for it
    session.reset();
    std::fflush(nullptr);
    std::_Exit(end.code);
  }
  return end.code;
}

}  // namespace blockyard::app
