// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/execute.h"
#include "apps/blockyard/hubbard.h"
#include "apps/blockyard/job_files.h"
#include "apps/blockyard/join.h"
#include "apps/blockyard/machine_file.h"
#include "apps/blockyard/needs.h"
#include "apps/blockyard/output.h"
#include "apps/blockyard/run_options.h"
#include "apps/blockyard/setting_options.h"
#include "apps/blockyard/signals.h"
#include "blockyard/base/current_error.h"
#include "blockyard/base/error.h"
#include "blockyard/base/fields.h"
#include "blockyard/base/read_file.h"
#include "blockyard/fabric/mpi/agree.h"
#include "blockyard/input/job_file.h"
#include "blockyard/input/words.h"
#include "blockyard/job/files.h"
#include "blockyard/job/job_bytes.h"
#include "blockyard/job/processes.h"
#include "blockyard/plan/plan.h"
#include "blockyard/store/apart.h"

namespace blockyard::app {

namespace {

struct RunOptions {
  std::string fabric = "auto";
  std::vector<std::string> files;
  std::vector<std::string> constants;
  std::vector<std::string> segments;
  std::vector<std::string> imports;
  std::vector<std::string> programs;
  std::vector<std::string> scans;
  SettingOptions settings;
  RunOptionValues run;
  OutputOptions output;
};

constexpr std::string_view best_segments = "best";

/// Puts the options of the command line in, which win. `file` is the first of the job.
void merge(const RunOptions& options, const std::string& file, input::Spec& spec) try {
  merge(options.run, spec.run);
  for (const std::string& text : options.constants)
    if (!input::is_setting(text)) input::set_constant(spec, text);
  for (const std::string& text : options.segments)
    if (text != best_segments) input::set_segments(spec, text);
  input::name_checkpoints(spec.run, file);
} catch (const base::Error& error) {
  throw UsageError(error.what());
}

input::Places places_of(const RunOptions& options, const std::string& library) {
  input::Places places = find_places(library);
  places.imports = options.imports;
  return places;
}

bool wants_best_segments(const RunOptions& options) {
  return std::ranges::find(options.segments, best_segments) != options.segments.end();
}

/// The segment sizes with which the plan of this run is fastest.
void choose_segments(input::Spec& spec, const input::Places& places,
                     const job::ProcessCount& processes) try {
  print_error("{}", plan::print_choice(
                        plan::choose_segments(spec, places, find_machine(""), {}, processes)));
} catch (const base::Error& error) {
  if (spec.molecule && spec.method) throw;
  throw UsageError(fmt::format("--{}", error.what()));
}

/// What the files of a job and the command line say together; process 0 calls it.
using ReadSpec = std::function<input::Spec()>;

input::Spec read_spec(const RunOptions& options, const JobSource& source) {
  input::Spec spec = read_job_files(source.files, options.programs,
                                    settings_of(options.settings, options.constants, source));
  merge(options, source.files.front(), spec);
  return spec;
}

/// A job of a list, read before the first one begins.
class Reading {
 public:
  Reading(const RunOptions& options, const JobSource& source) {
    try {
      spec_ = read_spec(options, source);
    } catch (const std::exception&) {
      failure_ = std::current_exception();
    }
  }
  /// Throws what is wrong with the job: it is told when it is its turn.
  [[nodiscard]] const input::Spec& spec() const {
    if (failure_) std::rethrow_exception(failure_);
    return spec_;
  }
  [[nodiscard]] bool is_good() const { return !failure_; }

 private:
  input::Spec spec_;
  std::exception_ptr failure_;
};

/// Nothing if a program has errors, which are told. `read` gives what is to run.
std::optional<job::Job> prepare(const RunOptions& options, const JobSource& source,
                                const ReadSpec& read, const std::string& library,
                                const job::ProcessCount& processes, job::KeptFiles& kept) {
  input::Spec spec = read();
  note_for_outputs(options.output, spec.run);
  const input::Places places = places_of(options, library);
  std::vector<std::string> inputs = source.files;
  for (std::string& file : job::files_read(spec, places)) inputs.push_back(std::move(file));
  if (wants_best_segments(options)) inputs.push_back(machine_file());
  check_outputs(options.output, inputs, spec.run);
  kept.keep_apart(spec.run);
  if (wants_best_segments(options)) choose_segments(spec, places, processes);
  job::Prepared prepared = prepare_job(source.files.front(), spec, places, processes);
  tell_diagnostics(prepared.found);
  if (prepared.job) report::check_exports(*prepared.job, options.output.exports);
  if (prepared.job && !options.output.quiet) warn_of_needs(*prepared.job);
  return std::move(prepared.job);
}

/// Process 0 reads and compiles all there is, and gives it to the others.
std::optional<job::Job> share_job(const RunOptions& options, const JobSource& source,
                                  const ReadSpec& read, const std::string& library,
                                  fabric::MpiSession& session, job::KeptFiles& kept) {
  const job::ProcessCount processes = job::count_processes(&session);
  std::string wrong_usage;
  const std::vector<std::byte> mark_of_wrong_usage(1);
  const auto bytes = fabric::share(&session, [&] {
    try {
      const auto job = prepare(options, source, read, library, processes, kept);
      return job ? job::encode(*job) : std::vector<std::byte>();
    } catch (const UsageError& error) {
      wrong_usage = error.what();
      return mark_of_wrong_usage;
    }
  });
  if (bytes == mark_of_wrong_usage) throw UsageError(wrong_usage);
  std::optional<job::Job> job;
  if (!bytes.empty()) fabric::agree(&session, [&] { job = job::decode_job(bytes); });
  return job;
}

int run_one(const RunOptions& options, const JobSource& source, const ReadSpec& read,
            const std::string& library, std::unique_ptr<fabric::MpiSession>& session,
            job::KeptFiles& kept, report::ListedJob* told) {
  const auto job = session ? share_job(options, source, read, library, *session, kept)
                           : prepare(options, source, read, library, {}, kept);
  return job ? execute(*job, options.output, nullptr, session, told) : exit_error;
}

bool is_given(const RunOptions& options, std::string_view key) {
  const auto found = options.run.texts.find(key);
  return found != options.run.texts.end() && !found->second.empty();
}

/// Checks for options that several jobs cannot share.
void check_list(const RunOptions& options) {
  const std::pair<std::string_view, bool> alone[] = {
      {"--report", !options.output.report.empty()},
      {"--trace", !options.output.trace.empty()},
      {"--save", is_given(options, "save")},
      {"--molden, --fcidump, --cube and --qcschema",
       options.output.exports.wants_orbitals() || !options.output.exports.qcschema.empty()},
      {"--persistent", is_given(options, "persistent")},
      {"--checkpoint", is_given(options, "checkpoint") || is_given(options, "checkpoint_dir")}};
  for (const auto& [name, is_wanted] : alone)
    if (is_wanted) throw UsageError(fmt::format("{} is for one job, not for several", name));
}

/// Collective. Does `tell` at process 0, and returns the signal that it has noted then, after which
/// no job begins (0: none). A signal reaches the other processes at other times.
int end_job(fabric::MpiSession* session, const std::function<void()>& tell) {
  const auto bytes = fabric::share(session, [&] {
    tell();
    base::FieldWriter out;
    out.field(noted_signal());
    return out.take();
  });
  int signal = 0;
  base::FieldReader(bytes).field(signal);
  return signal;
}

/// Throws if the table of a list would be written over what its jobs read, or where they save.
void check_table(const RunOptions& options, const std::vector<JobSource>& sources,
                 const std::vector<Reading>& readings, const input::Places& places) {
  std::set<std::string> inputs;
  std::set<std::string> kept;
  for (const JobSource& source : sources) inputs.insert(source.files.begin(), source.files.end());
  for (const Reading& reading : readings) {
    if (!reading.is_good()) continue;
    const input::Spec& spec = reading.spec();
    for (std::string& file : job::files_read(spec, places)) inputs.insert(std::move(file));
    if (input::guess_basis(spec.run.guess).empty()) inputs.insert(spec.run.guess);
    kept.insert({spec.run.persistent, spec.run.save});
  }
  check_outputs(options.output, {inputs.begin(), inputs.end()}, {});
  for (const std::string& file : kept) store::check_apart({}, {file, options.output.json});
}

/// Runs jobs one after the other. A failed one is reported, and the next one begins; with several
/// processes a failure ends them all.
int run_list(RunOptions options, const std::vector<JobSource>& sources, const std::string& library,
             std::unique_ptr<fabric::MpiSession>& session) {
  check_list(options);
  const bool is_first = !session || session->process() == 0;
  std::vector<Reading> readings;
  fabric::agree(session.get(), [&] {
    if (!is_first) return;
    for (const JobSource& source : sources) readings.emplace_back(options, source);
    if (!options.output.json.empty())
      check_table(options, sources, readings, places_of(options, library));
  });
  const std::string json = std::exchange(options.output.json, "");
  options.output.is_silent = true;
  Output output(json == "-" ? stderr : stdout);
  std::size_t width = 0;
  for (const JobSource& source : sources) width = std::max(width, source.name.size());
  report::JobTable table(std::max<std::size_t>(width, 8));
  std::vector<report::ListedJob> done;
  job::KeptFiles kept;
  int code = 0;
  for (std::size_t k = 0; k < sources.size(); ++k) {
    const JobSource& source = sources[k];
    report::ListedJob& told = done.emplace_back(
        report::ListedJob{source.name, source.files.front(), source.settings, {}, {}, {}, true});
    std::exception_ptr failure;
    try {
      const auto read = [&] { return readings.at(k).spec(); };
      const int ended = run_one(options, source, read, library, session, kept, &told);
      if (ended != 0 && told.error.empty()) told.error = "it has errors";
    } catch (const UsageError& error) {
      if (session) throw;  // in all processes
      told.error = error.what();
    } catch (const std::exception&) {
      if (session)
        failure = std::current_exception();
      else
        told.error = base::current_error().what();
    }
    const int signal = end_job(session.get(), [&] {
      if (failure) std::rethrow_exception(failure);
      output.print(table.row(told));
    });
    fabric::agree(session.get(), [&] {
      if (failure && signal == 0) std::rethrow_exception(failure);
    });
    if (!told.error.empty() && is_first) print_error("error: {}: {}\n", told.name, told.error);
    if (!told.error.empty()) code = exit_error;
    if (signal == 0) continue;
    if (told.error.empty() && is_first)  // between two jobs
      print_error("error: {}\n", describe_signal(signal));
    code = 128 + signal;
    break;
  }
  if (is_first && !json.empty()) output.write_file(json, report::list_json(done));
  return code;
}

/// A job with a lattice knows nothing of programs and their blocks.
int run_lattice(const RunOptions& options, const CLI::App& command, const std::string& text,
                fabric::MpiSession* session) {
  const std::string& file = options.files.front();
  check_lattice_options(
      command, file,
      {"--fabric", "--workers", "--memory", "--device", "--device-options", "--device-memory",
       "--checkpoint", "--checkpoint-dir", "--json", "--report", "--quiet"});
  return run_hubbard(hubbard_run(file, options.run, options.output), text, session);
}

int run(const RunOptions& options, const CLI::App& command, const std::string& library) {
  auto session = join_processes(options.fabric);
  return run_quietly(session.get(), [&] {
    if (session) job::check_builds(*session);
    const std::string lattice = share_text(session.get(), [&] {
      refuse_pipes(options.files);
      const std::string& file = options.files.front();
      return options.files.size() == 1 && is_lattice_job(file) ? base::read_file(file) : "";
    });
    if (!lattice.empty()) return run_lattice(options, command, lattice, session.get());
    const std::vector<JobSource> sources = list_jobs(options.files, options.scans);
    if (sources.size() > 1 || !options.scans.empty())
      return run_list(options, sources, library, session);
    job::KeptFiles kept;
    const JobSource& source = sources.front();
    const auto read = [&] { return read_spec(options, source); };
    return run_one(options, source, read, library, session, kept, nullptr);
  });
}

}  // namespace

void add_run(CLI::App& app, Commands& commands, const std::string& library) {
  CLI::App* command = app.add_subcommand("run", "Run a job file or SIAL programs");
  const auto options = std::make_shared<RunOptions>();  // shared with the function below
  command
      ->add_option("files", options->files,
                   "job files (.toml, ZMAT, .dat, .xyz, QCSchema .json; '-': standard input), "
                   "several make one "
                   "table; or programs (SIAL or compiled) in the order in which they run")
      ->required();
  add_setting_options(*command, options->settings);
  command
      ->add_option("--scan", options->scans,
                   "the job once for each value: KEY=V1,V2,... or KEY=FIRST:LAST:COUNT, as "
                   "molecule.variables.r=0.9:1.5:7")
      ->type_name("KEY=VALUES")
      ->allow_extra_args(false);
  command
      ->add_option("--programs", options->programs,
                   "where the programs named by a .dat file or ZMAT are: a folder, or a folder of "
                   "such folders (default: next to the file)")
      ->type_name("DIR")
      ->allow_extra_args(false);
  command
      ->add_option("--set", options->constants,
                   "set constants of the programs (--set n=2 x=0.5) or keys of the job file "
                   "(--set method.frozen_core=2)")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command
      ->add_option("--segments", options->segments,
                   "segment an index kind: ao=5,6,7 (these lengths), ao=8*4 (eight segments of 4) "
                   "or ao=64/8 (64 elements in segments of 8); best: the sizes that blockyard plan "
                   "finds fastest")
      ->type_name("KIND=LENGTHS")
      ->allow_extra_args(false);
  add_import_option(*command, options->imports);
  add_fabric_option(*command, options->fabric);
  add_run_options(*command, options->run);
  add_output_options(*command, options->output);
  commands[command] = [options, command, &library] { return run(*options, *command, library); };
}

}  // namespace blockyard::app
