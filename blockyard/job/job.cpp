// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/job.h"

#include <algorithm>
#include <filesystem>
#include <thread>

#include "blockyard/job/input.h"
#include "blockyard/job/program_file.h"
#include "blockyard/super/general.h"

namespace blockyard::job {

namespace {

/// What the process holds besides blocks: code, basis, integral engines. The promise leaves
/// 200 MB for it; a plan need not count more than what grows with the workers.
constexpr std::int64_t bytes_per_worker = std::int64_t{4} << 20;

int count_of(std::optional<int> given, int usual) { return std::max(1, given.value_or(usual)); }

void set_up_environment(const Spec& spec, Job& job) {
  worker::Environment& environment = job.environment;
  if (job.chemistry) add_constants(*job.chemistry, spec.method.value_or(MethodSpec{}), environment);
  for (const auto& [kind, extents] : spec.segments.extents)
    if (environment.segments.count(kind) == 0) environment.segments.set(kind, extents);
  if (spec.segments.subsegment) environment.segments.set_subsegment(*spec.segments.subsegment);
  for (const auto& [name, value] : spec.ints) environment.ints[name] = value;
  for (const auto& [name, value] : spec.scalars) environment.scalars[name] = value;
}

/// False if a program has errors.
bool load_steps(const Spec& spec, const Places& places, Prepared& prepared) {
  const bool is_ours = spec.programs.empty();
  const std::vector<std::string> names =
      is_ours ? programs_of_method(prepared.job->method, prepared.job->chemistry->unrestricted)
              : spec.programs;
  for (const std::string& name : names) {
    const std::string path = is_ours ? places.programs + "/" + name : name;
    LoadedProgram loaded = load_program(path, places);
    const bool is_good = loaded.program.has_value();
    // A warning about our own programs is nothing that a user can act on.
    if (!is_ours || !is_good)
      prepared.found.insert(prepared.found.end(), loaded.found.begin(), loaded.found.end());
    if (!is_good) return false;
    prepared.job->steps.push_back(
        {std::filesystem::path(path).stem().string(), std::move(*loaded.program)});
  }
  return true;
}

}  // namespace

MemoryPlan plan(const Job& job) {
  return plan_memory(job.run.memory_bytes.value_or(usual_memory_bytes()),
                     job.workers * bytes_per_worker, job.workers, job.servers, memory_needs(job));
}

Prepared prepare(const Spec& spec, const Places& places) {
  check_spec(spec);
  Prepared prepared;
  Job& job = prepared.job.emplace();
  job.title = spec.title;
  job.run = spec.run;
  if (spec.method) job.method = spec.method->name;
  if (!job.method.empty()) (void)programs_of_method(job.method, false);
  job.workers = count_of(spec.run.workers, static_cast<int>(std::thread::hardware_concurrency()));
  job.servers = count_of(spec.run.servers, 1);
  if (spec.molecule) job.chemistry = read_chemistry(spec, places);
  set_up_environment(spec, job);
  for (const std::string& path : spec.run.supers) job.libraries.emplace_back(path);
  (void)super_table(job);
  if (!load_steps(spec, places, prepared)) {
    prepared.job.reset();
    return prepared;
  }
  job.memory = plan(job);
  return prepared;
}

std::vector<ProgramNeed> memory_needs(const Job& job) {
  std::vector<ProgramNeed> needs;
  for (const Step& step : job.steps)
    needs.push_back({step.name, worker::memory_need(step.program,
                                                    worker::bind(step.program, job.environment))});
  return needs;
}

super::Table super_table(const Job& job) {
  super::Table table;
  super::add_general(table);
  if (job.chemistry)
    qc::add_chemistry(table, job.chemistry->system);
  else
    qc::add_algebra(table);
  for (const super::Library& library : job.libraries) library.add_to(table);
  return table;
}

std::vector<std::string> super_instruction_names() {
  super::Table table;
  super::add_general(table);
  qc::add_algebra(table);
  return table.names();
}

}  // namespace blockyard::job
