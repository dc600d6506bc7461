// SPDX-License-Identifier: Apache-2.0
#include "apps/blockyard/execute.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
#include "blockyard/fabric/mpi/agree.h"
#include "blockyard/input/words.h"
#include "blockyard/job/checkpoint.h"
#include "blockyard/job/files.h"
#include "blockyard/job/method_results.h"
#include "blockyard/report/iteration_table.h"
#include "blockyard/report/live_socket.h"
#include "blockyard/report/qcschema.h"
#include "blockyard/report/report.h"
#include "blockyard/report/trace_file.h"

namespace blockyard::app {

namespace {

/// A signal lets a run with checkpoints go on to the next barrier, a second one does not.
bool ends_at_checkpoint(const job::Job& job) {
  return !job.run.checkpoint_folder.empty() && noted_signal() != 0 && !is_urgent();
}

/// What is written for the user in the end.
std::vector<std::string> files_of(const OutputOptions& options) {
  const report::Exports& exports = options.exports;
  std::vector<std::string> files = {options.json,   options.report,  options.trace,
                                    exports.molden, exports.fcidump, exports.qcschema};
  for (const report::CubeWish& cube : exports.cubes) files.push_back(cube.file);
  return files;
}

/// Why the run must stop; empty: it continues.
std::string stop_reason(const job::Job& job) {
  if (noted_signal() == 0 || ends_at_checkpoint(job)) return "";
  const std::string saved = job::last_checkpoint_hint(job.run.checkpoint_folder);
  return describe_signal(noted_signal()) + (saved.empty() ? "" : "; " + saved);
}

/// Says once that the run ends at a barrier, which may be far.
class EndAnnouncement {
 public:
  explicit EndAnnouncement(const job::Job& job) : job_(job) {}
  void look() {
    if (is_made_ || !ends_at_checkpoint(job_)) return;
    is_made_ = true;
    print_error(
        "{}: the run saves its state at the next barrier and ends; once more ends it at "
        "once\n",
        describe_signal(noted_signal()));
  }

 private:
  const job::Job& job_;
  bool is_made_ = false;
};

std::filesystem::path live_folder() { return report::live_folder(std::getenv("XDG_RUNTIME_DIR")); }

/// As it was typed, words apart.
std::string command_line() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::string words(std::istreambuf_iterator<char>(in), {});
  if (!words.empty()) words.pop_back();
  std::ranges::replace(words, '\0', ' ');
  return words;
}

job::Hooks make_hooks(const job::Job& job, std::function<void(std::string_view)> print,
                      Progress& progress, report::LiveSocket& live, EndAnnouncement& end) {
  job::Hooks hooks;
  hooks.print = std::move(print);
  hooks.step_begins = [&](std::size_t step) { progress.begin_step(step); };
  hooks.look = [&](const job::LiveView& view) { live.answer(view); };
  hooks.stop_reason = [&] {
    progress.draw();
    end.look();
    return stop_reason(job);
  };
  hooks.checkpoint_requests = checkpoint_signals;
  hooks.ends_after_checkpoint = [&] { return ends_at_checkpoint(job); };
  hooks.give_up = [](std::string_view cause) {
    print_error("error: {}\n", cause);
    std::fflush(nullptr);
    std::_Exit(noted_signal() != 0 ? 128 + noted_signal() : exit_error);
  };
  return hooks;
}

/// Files for other programs.
template <class Attempt>
void write_exports(const report::Exports& wanted, const job::Job& job, const job::Results& results,
                   Output& output, const Attempt& attempt) {
  if (!wanted.qcschema.empty())
    attempt([&] { output.write_file(wanted.qcschema, report::qcschema_text(job, results)); });
  if (!wanted.molden.empty())
    attempt([&] { output.write_file(wanted.molden, report::molden_of(job, results)); });
  if (!wanted.fcidump.empty())
    attempt([&] { output.write_file(wanted.fcidump, report::fcidump_of(job, results)); });
  for (const report::CubeWish& cube : wanted.cubes)
    attempt([&] { output.write_file(cube.file, report::cube_of(job, results, cube)); });
}

/// Whether all requested files could be written. A failed one does not affect the others.
bool print_results(const OutputOptions& options, const job::Job& job, const job::Results& results,
                   report::ReportContext context, report::IterationTable& table, Output& output) {
  bool is_whole = true;
  const auto attempt = [&](const auto& write) {
    try {
      write();
    } catch (const base::Error& error) {
      print_error("error: {}\n", error.what());
      is_whole = false;
    }
  };
  attempt([&] { table.end(); });
  context.iterations = table.iterations();
  for (const job::StepResult& step : results.steps)
    for (const std::string& warning : step.warnings) print_error("warning: {}\n", warning);
  const bool has_method = !job.method.empty();
  if (has_method && options.wants_one_line() && !options.is_silent)
    attempt([&] { output.print(report::print_energies(job, results)); });
  else if ((has_method || (job.chemistry && !options.quiet)) && !options.is_silent)
    attempt([&] { output.print(report::print_summary(job, results)); });
  if (options.profile) attempt([&] { output.print(report::print_profile(results)); });
  if (!options.json.empty())
    attempt([&] { output.write_file(options.json, report::results_json(job, results)); });
  if (!options.report.empty())
    attempt(
        [&] { output.write_file(options.report, report::metrics_json(job, results, context)); });
  write_exports(options.exports, job, results, output, attempt);
  if (!options.trace.empty())
    attempt([&] { output.write_file(options.trace, report::trace_file(job, results)); });
  if (!options.is_silent)
    for (const std::string& error : results.lost) print_error("error: {}\n", error);
  return is_whole && results.lost.empty();
}

/// Of a run whose files could not all be written.
void tell_of_checkpoints(const job::Job& job) {
  const std::string& folder = job.run.checkpoint_folder;
  if (!job::last_checkpoint_hint(folder).empty())
    print_error("the checkpoints are kept; to continue: blockyard resume {}\n", folder);
}

/// The outcome of a run, for the caller that ends the process.
struct End {
  int code = 0;
  bool has_left_driver = false;
};

/// A process that does not print: it works until the run is over.
End assist(const job::Job& job, const job::SavedRun* from, fabric::MpiSession& session) {
  job::Hooks hooks;
  hooks.stop_reason = [&] { return stop_reason(job); };
  hooks.checkpoint_requests = checkpoint_signals;
  hooks.ends_after_checkpoint = [&] { return ends_at_checkpoint(job); };
  hooks.give_up = [](std::string_view) { std::_Exit(exit_error); };
  fabric::agree(&session, [] {});  // on what process 0 does before the run
  note_signals();
  report::LiveSocket live(job, live_folder(), &session);
  hooks.look = [&](const job::LiveView& view) { live.answer(view); };
  return {0, job::run(job, hooks, from, &session).has_left_driver};
}

End lead(const job::Job& job, const OutputOptions& options, const job::SavedRun* from,
         fabric::MpiSession* session, report::ListedJob* told) {
  report::ReportContext context;
  Output output(is_output_taken(files_of(options)) ? stderr : stdout);
  // The programs of a method print the numbers of its table.
  const bool is_table = !job.method.empty();
  const bool is_short = options.quiet || options.is_silent || options.wants_one_line();
  fabric::agree(session, [&] {
    if (!options.report.empty()) context = report::begin_report(job, command_line());
    if (job.chemistry && !is_short) output.print(report::print_header(job));
  });
  note_signals();
  report::LiveSocket live(job, live_folder(), session);
  try {
    Progress progress(job, is_short);
    EndAnnouncement end(job);
    const auto print = [&](std::string_view text) {
      if (is_short && (is_table || options.is_silent)) return;
      progress.clear();
      output.print(text);
    };
    report::IterationTable table(print);
    job::Hooks hooks = make_hooks(
        job, [&](std::string_view text) { is_table ? table.add(text) : print(text); }, progress,
        live, end);
    bool is_whole = false;
    hooks.deliver = [&](const job::Results& results) {
      progress.clear();
      is_whole = print_results(options, job, results, context, table, output);
      return is_whole;
    };
    const job::Results results = job::run(job, hooks, from, session);
    if (!is_whole) tell_of_checkpoints(job);
    if (told != nullptr) {
      told->energies = job::method_results(job, results).energies;
      told->results = report::results_json(job, results);
      told->is_converged = results.unconverged.empty();
      std::vector<std::string> errors = results.lost;
      if (!told->is_converged) errors.insert(errors.begin(), results.unconverged);
      told->error = fmt::format("{}", fmt::join(errors, "; "));
    } else if (!results.unconverged.empty()) {
      print_error("error: {}\n", results.unconverged);
    }
    const bool is_good = is_whole && results.unconverged.empty();
    return {is_good ? 0 : exit_error, results.has_left_driver};
  } catch (const base::Error& error) {
    if (noted_signal() == 0) throw;
    const std::string text = describe_end(error.what());
    if (told != nullptr)
      told->error = text;
    else
      print_error("error: {}\n", text);
    return {128 + noted_signal(), false};
  }
}

report::CubeWish parse_cube(const std::string& text) try {
  return report::parse_cube(text);
} catch (const base::Error& error) {
  throw CLI::ValidationError("--cube", error.what());
}

}  // namespace

void add_output_options(CLI::App& command, OutputOptions& options) {
  command
      .add_option("--json", options.json, "write the results to this file ('-': standard output)")
      ->type_name("FILE");
  command
      .add_option("--report", options.report,
                  "write measurements to this file, for 'blockyard report'")
      ->type_name("FILE");
  command
      .add_option("--trace", options.trace,
                  "write a timeline to this file (.json.gz), for ui.perfetto.dev")
      ->type_name("FILE");
  command
      .add_option("--molden", options.exports.molden,
                  "write geometry, basis set and SCF orbitals to this file (Molden format)")
      ->type_name("FILE");
  command
      .add_option("--fcidump", options.exports.fcidump,
                  "write the integrals over the orbitals of a closed shell to this file (FCIDUMP)")
      ->type_name("FILE");
  command
      .add_option_function<std::vector<std::string>>(
          "--cube",
          [&options](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) options.exports.cubes.push_back(parse_cube(text));
          },
          "write an orbital or a density on a grid: homo=FILE, lumo, density, spin, or a number")
      ->type_name("WHAT=FILE")
      ->allow_extra_args(false);
  command
      .add_option("--qcschema", options.exports.qcschema,
                  "write the results to this file in QCSchema ('-': standard output)")
      ->type_name("FILE");
  command.add_flag("--profile", options.profile, "print where the time went, by line");
  command.add_flag("--quiet", options.quiet,
                   "print only the final table of a method, or what your own programs print");
  command
      .add_option("--summary", options.summary,
                  "final output of a method: all, or energies (one line and nothing else)")
      ->check(CLI::IsMember({"all", "energies"}));
}

void check_outputs(const OutputOptions& options, const std::vector<std::string>& inputs,
                   const input::RunSpec& run) {
  job::check_outputs(files_of(options), inputs, run);
}

void note_for_outputs(const OutputOptions& options, input::RunSpec& run) {
  run.report = !options.report.empty() || options.profile;
  run.has_trace = !options.trace.empty();
}

int execute(const job::Job& job, const OutputOptions& options, const job::SavedRun* from,
            std::unique_ptr<fabric::MpiSession>& session, report::ListedJob* told) {
  const bool is_lead = session == nullptr || session->process() == 0;
  const End end =
      is_lead ? lead(job, options, from, session.get(), told) : assist(job, from, *session);
  if (end.has_left_driver) {  // what libraries do at an ordinary end may wait for it
    session.reset();
    std::fflush(nullptr);
    std::_Exit(end.code);
  }
  return end.code;
}

}  // namespace blockyard::app
