// SPDX-License-Identifier: Apache-2.0
#include "apps/blockyard/job_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <system_error>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/file_kind.h"
#include "apps/blockyard/output.h"
#include "blockyard/aces/dat/dat_job.h"
#include "blockyard/aces/zmat/zmat.h"
#include "blockyard/base/error.h"
#include "blockyard/base/read_file.h"
#include "blockyard/base/text.h"
#include "blockyard/input/job_file.h"
#include "blockyard/job/program_file.h"
#include "blockyard/job/read_job.h"

namespace blockyard::app {

namespace {

constexpr std::string_view standard_input = "-";

bool is_job_file(const std::string& file) {
  return file == standard_input || job::is_job_name(file);
}

input::Spec read_any(const std::string& file, const std::vector<std::string>& programs,
                     const input::Settings& settings) {
  job::ReadJob job = file == standard_input
                         ? job::parse_job(base::read_descriptor(STDIN_FILENO, "standard input"),
                                          "standard input", settings)
                         : job::read_job(file, programs, settings);
  for (const std::string& warning : job.warnings) print_error("warning: {}\n", warning);
  return std::move(job.spec);
}

/// Checked as a whole here, where the file that lacks something has its name.
input::Spec read_checked(const std::string& file, const std::vector<std::string>& programs,
                         const input::Settings& settings) {
  input::Spec spec = read_any(file, programs, settings);
  try {
    input::check_spec(spec);
  } catch (const base::Error& error) {
    const std::string hint =
        job::is_geometry_name(file) || job::is_schema_file(file) || file == standard_input
            ? " (or --method and --basis of the command line)"
            : "";
    throw base::Error(error.code(), fmt::format("{}: {}{}", file, error.what(), hint));
  }
  return spec;
}

std::string name_of(const input::Settings& settings) {
  std::vector<std::string> parts;
  for (const input::Setting& setting : settings)
    parts.push_back(fmt::format("{}={}",
                                setting.key.substr(setting.key.rfind('.') + 1) == "name"
                                    ? setting.key.substr(0, setting.key.find('.'))
                                    : setting.key.substr(setting.key.rfind('.') + 1),
                                setting.value));
  return fmt::format("{}", fmt::join(parts, " "));
}

/// Each job once for every value of the scan.
std::vector<JobSource> scanned(const std::vector<JobSource>& jobs, const std::string& scan) {
  std::vector<JobSource> result;
  for (const JobSource& job : jobs)
    for (const input::Setting& setting : input::parse_scan(scan)) {
      result.push_back(job);
      result.back().settings.push_back(setting);
    }
  return result;
}

}  // namespace

std::vector<JobSource> list_jobs(const std::vector<std::string>& files,
                                 const std::vector<std::string>& scans) try {
  std::vector<JobSource> jobs;
  if (is_job_file(files.front()))
    for (const std::string& file : files) {
      if (!is_job_file(file)) throw UsageError("give either job files or SIAL programs");
      if (file == standard_input && (files.size() > 1 || !scans.empty()))
        throw UsageError("a job from standard input (-) must be the only argument");
      jobs.push_back({{file}, {}, {}});
    }
  else
    jobs.push_back({files, {}, {}});
  const bool is_one_file = jobs.size() == 1;
  for (const std::string& scan : scans) jobs = scanned(jobs, scan);
  for (JobSource& job : jobs)
    job.name = is_one_file && !scans.empty() ? name_of(job.settings)
               : scans.empty()               ? job.files.front()
                                             : job.files.front() + " " + name_of(job.settings);
  return jobs;
} catch (const base::Error& error) {
  throw UsageError(error.what());
}

input::Spec read_job_files(const std::vector<std::string>& files,
                           const std::vector<std::string>& programs,
                           const input::Settings& settings) {
  const std::string& first = files.front();
  if (!programs.empty() && !aces::dat::is_dat_name(first) && !aces::is_zmat_name(first))
    throw UsageError("--programs is the folder of the programs of a .dat file or a ZMAT");
  if (is_job_file(first)) {
    if (files.size() > 1)
      throw UsageError("a job file must be the only argument: it names its programs");
    return read_checked(first, programs, settings);
  }
  input::Spec spec;
  for (const std::string& file : files) {
    if (is_job_file(file)) throw UsageError("give either job files or SIAL programs");
    if (!job::is_compiled(file)) check_is_program(file);
    spec.programs.push_back(file);
  }
  spec.title = std::filesystem::path(first).stem().string();
  return input::with_settings(spec, settings);
}

void refuse_pipes(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    std::error_code ignored;
    const auto status = std::filesystem::status(file, ignored);
    if (!std::filesystem::is_other(status)) continue;
    throw base::Error(base::Errc::bad_input,
                      fmt::format("{} is {}; give a job as '-', standard input, or as a file", file,
                                  std::filesystem::is_fifo(status) ? "a pipe" : "not a file"));
  }
}

job::Prepared prepare_job(const std::string& file, const input::Spec& spec,
                          const input::Places& places, const job::ProcessCount& processes) {
  try {
    return job::prepare(spec, places, processes);
  } catch (const base::Error& error) {
    const std::string_view text = error.what();
    if (error.code() != base::Errc::bad_input || !is_job_file(file) ||
        text.find(file) != std::string_view::npos)
      throw;
    throw base::Error(error.code(), fmt::format("{}: {}", file, text));
  }
}

void tell_diagnostics(const std::vector<sial::Diagnostic>& found) {
  std::map<std::string, int> unused;
  for (const sial::Diagnostic& one : found)
    if (one.code == "unused-name")
      ++unused[one.file];
    else
      print_error("{}", sial::render_text(one));
  for (const auto& [file, count] : unused)
    print_error("{}: {} declared {} never used ('blockyard check' names them)\n", file, count,
                count == 1 ? "name is" : "names are");
}

}  // namespace blockyard::app
