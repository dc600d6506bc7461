// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "blockyard/base/text.h"
#include "blockyard/plan/plan.h"
#include "blockyard/program/print.h"

namespace blockyard::plan {

namespace {

std::string bytes(double count) {
  return base::format_bytes(static_cast<std::int64_t>(std::llround(count)));
}

/// "0.05 s", "12 s", "3.4 min", "2.1 h", "1.5 d".
std::string duration(double seconds) {
  constexpr double minute = 60;
  constexpr double hour = 3600;
  constexpr double day = 86400;
  if (seconds < 10) return fmt::format("{:.2f} s", seconds);
  if (seconds < 2 * minute) return fmt::format("{:.0f} s", seconds);
  if (seconds < 2 * hour) return fmt::format("{:.1f} min", seconds / minute);
  if (seconds < 2 * day) return fmt::format("{:.1f} h", seconds / hour);
  return fmt::format("{:.1f} d", seconds / day);
}

/// The programs, and a last one with what the whole job needs.
std::vector<ProgramPlan> with_all(const JobPlan& plan) {
  std::vector<ProgramPlan> programs = plan.programs;
  ProgramPlan all;
  all.name = "all";
  all.seconds = plan.seconds;
  all.work = plan.work;
  all.process_bytes = plan.process_bytes;
  for (const ProgramPlan& program : plan.programs) {
    all.worker_bytes = std::max(all.worker_bytes, program.worker_bytes);
    all.server_bytes = std::max(all.server_bytes, program.server_bytes);
  }
  programs.push_back(std::move(all));
  return programs;
}

/// Two tables, so that each fits into 80 columns: time and memory, then bytes that move.
std::string print_programs(const JobPlan& plan) {
  const std::vector<ProgramPlan> programs = with_all(plan);
  std::string text = fmt::format("\n  {:<18}{:>10}{:>12}{:>12}{:>12}{:>12}\n", "program", "time",
                                 "flops", "worker", "server", "process");
  for (const ProgramPlan& program : programs)
    text += fmt::format("  {:<18}{:>10}{:>12.3e}{:>12}{:>12}{:>12}\n", program.name,
                        duration(program.seconds), program.work.flops, bytes(program.worker_bytes),
                        bytes(program.server_bytes), bytes(program.process_bytes));
  text += fmt::format("\n  {:<18}{:>12}{:>12}{:>12}{:>12}\n", "bytes moved", "local", "fabric",
                      "to disk", "from disk");
  for (const ProgramPlan& program : programs)
    text += fmt::format("  {:<18}{:>12}{:>12}{:>12}{:>12}\n", program.name,
                        bytes(program.work.local_bytes), bytes(program.work.fabric_bytes),
                        bytes(program.work.spilled_bytes), bytes(program.work.read_back_bytes));
  return text;
}

bool is_remote(const ArrayPlan& array) {
  return array.kind == program::ArrayKind::distributed || array.kind == program::ArrayKind::served;
}

std::string print_arrays(const JobPlan& plan) {
  std::string text = fmt::format("\n  {:<22}{:<12}{:>8}{:>11}{:>11}{:>11}\n", "arrays", "kind",
                                 "blocks", "largest", "all", "written");
  for (const ProgramPlan& program : plan.programs) {
    text += fmt::format("  {}\n", program.name);
    for (const ArrayPlan& array : program.arrays)
      if (is_remote(array) || array.kind == program::ArrayKind::static_)
        text += fmt::format("    {:<20}{:<12}{:>8.0f}{:>11}{:>11}{:>11}\n", array.name,
                            program::word_of(array.kind), array.blocks, bytes(array.largest_block),
                            bytes(array.bytes), is_remote(array) ? bytes(array.peak_bytes) : "");
  }
  return text;
}

std::string print_verdict(const JobPlan& plan) {
  std::string text;
  if (plan.fits)
    text = "\n  fits       everything stays in memory\n";
  else
    text = fmt::format("\n  fits       with disk: {} written, {} read back\n",
                       bytes(plan.work.spilled_bytes), bytes(plan.work.read_back_bytes));
  if (plan.least_processes_in_memory > 0)
    text +=
        fmt::format("  processes  {} of {} keep everything in memory\n",
                    plan.least_processes_in_memory, bytes(static_cast<double>(plan.memory_bytes)));
  return text;
}

std::string print_assumptions(const JobPlan& plan) {
  std::string text = fmt::format("  machine    {}\n", plan.machine);
  std::string_view title = "assumed";
  for (const ProgramPlan& program : plan.programs)
    for (const std::string& assumption : program.assumptions) {
      text += fmt::format("  {:<11}{} (set with --iterations)\n", title,
                          assumption.substr(assumption.find_last_of('/') + 1));
      title = "";
    }
  title = "sampled";
  for (const ProgramPlan& program : plan.programs)
    if (program.is_sampled) {
      text += fmt::format("  {:<11}{}: time +- {:.1f} % by the sample\n", title, program.name,
                          100 * program.error);
      title = "";
    }
  return text;
}

}  // namespace

std::string print_plan(const JobPlan& plan) {
  const PlanLayout& layout = plan.layout;
  std::string text = fmt::format(
      "\n  plan       {} process{} of {} worker{} and {} server{}\n"
      "  memory     {} per process: {} per worker, {} per server\n",
      layout.processes, layout.processes == 1 ? "" : "es", layout.workers,
      layout.workers == 1 ? "" : "s", layout.servers, layout.servers == 1 ? "" : "s",
      bytes(static_cast<double>(plan.memory_bytes)), bytes(layout.worker_bytes),
      bytes(layout.server_bytes));
  return text + print_assumptions(plan) + print_arrays(plan) + print_programs(plan) +
         print_verdict(plan);
}

std::string print_trials(const std::vector<SegmentTrial>& trials) {
  if (trials.empty()) return "";
  std::string text = fmt::format("\n  {:<10}{:>5}{:>10}{:>9}{:>10}{:>12}\n", "segments", "ao",
                                 "occupied", "virtual", "time", "process");
  for (const SegmentTrial& trial : trials)
    text += fmt::format("  {:<10}{:>5}{:>10}{:>9}{:>10}{:>12}{}\n",
                        trial.is_given         ? "this job"
                        : &trial == &trials[0] ? "best"
                                               : "",
                        trial.ao, trial.occupied, trial.virtual_, duration(trial.seconds),
                        bytes(trial.process_bytes), trial.fits ? "" : "  with disk");
  return text;
}

}  // namespace blockyard::plan
