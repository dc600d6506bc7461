// SPDX-License-Identifier: Apache-2.0
#include "apps/blockyard/job_files.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <map>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/output.h"
#include "blockyard/base/error.h"
#include "blockyard/job/dat/dat_job.h"
#include "blockyard/job/input.h"
#include "blockyard/job/zmat/zmat.h"

namespace blockyard::app {

namespace {

bool is_job_file(const std::string& file) {
  return file.ends_with(".toml") || job::is_zmat_name(file) || job::dat::is_dat_name(file);
}

job::Spec read_zmat(const std::string& file, const std::vector<std::string>& programs) {
  job::ZmatJob job = job::read_zmat_file(file, programs);
  for (const std::string& warning : job.warnings) print_error("warning: {}\n", warning);
  return std::move(job.spec);
}

/// Checked as a whole here, where the file that lacks something has its name.
job::Spec read_toml(const std::string& file) {
  job::Spec spec = job::read_job_file(file);
  try {
    job::check_spec(spec);
  } catch (const base::Error& error) {
    throw base::Error(error.code(), fmt::format("{}: {}", file, error.what()));
  }
  return spec;
}

}  // namespace

job::Spec read_job_files(const std::vector<std::string>& files,
                         const std::vector<std::string>& programs) {
  const std::string& first = files.front();
  if (!programs.empty() && !job::dat::is_dat_name(first) && !job::is_zmat_name(first))
    throw UsageError("--programs is the folder of the programs of a .dat file or a ZMAT");
  if (is_job_file(first)) {
    if (files.size() > 1) throw UsageError("a job file stands by itself: it names its programs");
    if (job::dat::is_dat_name(first)) return job::dat::read_dat_job(first, programs);
    return job::is_zmat_name(first) ? read_zmat(first, programs) : read_toml(first);
  }
  job::Spec spec;
  for (const std::string& file : files) {
    if (is_job_file(file)) throw UsageError("give either one job file or SIAL programs");
    spec.programs.push_back(file);
  }
  spec.title = std::filesystem::path(first).stem().string();
  return spec;
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
