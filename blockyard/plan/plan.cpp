// SPDX-License-Identifier: Apache-2.0
#include "blockyard/plan/plan.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/base/text.h"

namespace blockyard::plan {

namespace {

constexpr int most_processes = 1 << 20;

/// The memory of this process now: a run holds the same before its first block.
double resident_bytes() {
  std::ifstream in("/proc/self/statm");
  double pages = 0;
  in >> pages >> pages;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// The ranks of each process that works. Servers that have processes of their own are planned as if
/// they were evenly among the workers, with the same memory together.
PlanLayout layout_of(const job::Job& job, int processes) {
  if (job.processes == 1) return {processes, job.workers, job.servers};
  const int working = job.processes - (job.serves_apart ? job.servers : 0);
  return {working, job.workers / working, 1};
}

/// The memory plan of a process that has its part of the arrays.
job::MemoryPlan part_memory(const job::Job& job, const PlanLayout& layout,
                            std::vector<job::ProgramNeed> needs, int processes) {
  for (job::ProgramNeed& program : needs)
    program.need.distributed_bytes = (program.need.distributed_bytes + processes - 1) / processes;
  return job::plan_memory(job.memory.total_bytes, job.memory.shared_bytes, layout.workers,
                          layout.servers, needs);
}

job::MemoryPlan memory_of(const job::Job& job, const PlanLayout& layout,
                          const std::vector<job::ProgramNeed>& needs) {
  if (job.processes == 1) return part_memory(job, layout, needs, layout.processes);
  job::MemoryPlan memory = job.memory;
  memory.server_bytes = memory.server_bytes * job.servers / layout.processes;
  return memory;
}

/// The least number of processes, from 1 on, for which the condition holds; 0 if none.
template <class Condition>
int least(const Condition& condition) {
  int high = 1;
  while (!condition(high)) {
    if (high >= most_processes) return 0;
    high *= 2;
  }
  int low = high / 2;  // does not hold, or 0
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (condition(middle) ? high : low) = middle;
  }
  return high;
}

/// The most a process holds besides its own code: its workers and its servers. Where arrays go to
/// the disk, caches and what the pool keeps come to fill all that there is.
double blocks_of_process(const JobPlan& plan, const ProgramPlan& program, bool spills) {
  if (spills) return static_cast<double>(plan.memory_bytes);
  return plan.layout.workers * program.worker_bytes + plan.layout.servers * program.server_bytes;
}

void add_memory(JobPlan& plan, ProgramPlan& program, const RankModel& ranks,
                const ServerModel& servers, const Machine& machine) {
  const double all_servers = plan.layout.all_servers();
  const double room = plan.layout.server_bytes;
  const double held = servers.pool_peak_bytes() / all_servers;
  const bool spills = program.alive_bytes / all_servers > room;
  program.server_bytes = std::min(held, room);
  // A copy of a block of the same process is the block itself, unless its server let it go.
  const double copies = spills ? ranks.peak_cached() : ranks.peak_foreign();
  const double held_by_worker = program.static_bytes + program.own_bytes;
  program.worker_bytes = std::min(held_by_worker + copies, plan.layout.worker_bytes);
  if (held_by_worker > plan.layout.worker_bytes)
    program.assumptions.push_back(
        fmt::format("{}: a worker needs {} for static arrays and blocks and may use {}: the run "
                    "may end for want of memory",
                    program.name, base::format_bytes(static_cast<std::int64_t>(held_by_worker)),
                    base::format_bytes(static_cast<std::int64_t>(plan.layout.worker_bytes))));
  program.process_bytes = plan.base_bytes + blocks_of_process(plan, program, spills) +
                          plan.layout.workers * machine.worker_rss_bytes;
  plan.process_bytes = std::max(plan.process_bytes, program.process_bytes);
  plan.fits = plan.fits && !spills;
}

}  // namespace

JobPlan make_plan(const job::Job& job, const Machine& machine, const PlanOptions& options) {
  const double begin = base::now_seconds();
  JobPlan plan;
  plan.title = job.title;
  plan.machine = machine.name;
  plan.memory_bytes = job.memory.total_bytes;
  plan.base_bytes = resident_bytes();
  const std::vector<job::ProgramNeed> needs = job::memory_needs(job);
  plan.layout = layout_of(job, options.processes);
  const job::MemoryPlan memory = memory_of(job, plan.layout, needs);
  plan.layout.worker_bytes = static_cast<double>(memory.worker_bytes);
  plan.layout.server_bytes = static_cast<double>(memory.server_bytes);
  RankModel ranks(plan.layout, machine);
  ServerModel servers(plan.layout.all_servers(), plan.layout.server_bytes,
                      memory.spilled_bytes > 0);
  FrameModel frames;
  double most_alive = 0;
  for (const job::Step& step : job.steps) {
    const double spilled = servers.spilled_bytes;
    const double read_back = servers.read_back_bytes;
    WalkOptions walk_options = options.walk;
    const auto given = walk_options.iterations_of.find(step.name);
    if (given != walk_options.iterations_of.end()) walk_options.iterations = given->second;
    ProgramPlan program =
        Walk(job, step.program, machine, walk_options, ranks, servers, frames).run();
    program.name = step.name;
    for (double* seconds : {&program.seconds, &program.work.contraction_seconds,
                            &program.work.super_seconds, &program.work.core_seconds})
      *seconds *= machine.job_ratio;
    program.work.spilled_bytes = servers.spilled_bytes - spilled;
    program.work.read_back_bytes = servers.read_back_bytes - read_back;
    add_memory(plan, program, ranks, servers, machine);
    most_alive = std::max(most_alive, program.alive_bytes);
    plan.seconds += program.seconds;
    add(plan.work, program.work);
    plan.programs.push_back(std::move(program));
  }
  plan.seconds += machine.start_seconds + options.prepare_seconds;
  plan.least_processes_in_memory = least([&](int processes) {
    const job::MemoryPlan part = part_memory(job, plan.layout, needs, processes);
    return most_alive <= static_cast<double>(part.server_bytes) * plan.layout.servers * processes;
  });
  plan.plan_seconds = base::now_seconds() - begin;
  return plan;
}

std::string disk_warning(const job::Job& job, std::optional<double> free_bytes) {
  constexpr double quick_steps = 1e5;
  if (job.memory.spilled_bytes == 0) return "";
  PlanOptions options;
  options.walk.steps = quick_steps;
  JobPlan plan;
  try {
    plan = make_plan(job, assumed_machine(), options);
  } catch (const base::Error&) {
    return "";  // the run itself finds what fails, if it gets there
  }
  if (plan.fits) return "";
  const auto text_of = [](double bytes) {
    return base::format_bytes(static_cast<std::int64_t>(bytes));
  };
  double most = 0;
  for (const ProgramPlan& program : plan.programs) most = std::max(most, program.alive_bytes);
  const double held = plan.layout.all_servers() * plan.layout.server_bytes;
  std::string text = fmt::format("arrays take about {}, servers have {}: the rest goes to disk",
                                 text_of(most), text_of(held));
  if (free_bytes && *free_bytes < most - held)
    text +=
        fmt::format(", but the scratch folder has only {} free (--scratch)", text_of(*free_bytes));
  return text + "; `blockyard plan` says how much is written";
}

}  // namespace blockyard::plan
