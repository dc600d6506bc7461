// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "blockyard/base/table.h"
#include "blockyard/base/text.h"
#include "blockyard/plan/plan.h"
#include "blockyard/program/print.h"

namespace blockyard::plan {

namespace {

using base::Column;
using base::print_table;
using Row = std::vector<std::string>;

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
std::string print_programs(const JobPlan& plan, std::size_t width) {
  std::vector<Row> needs = {{"program", "time", "flops", "worker", "server", "process"}};
  std::vector<Row> moved = {{"bytes moved", "local", "fabric", "to disk", "from disk"}};
  for (const ProgramPlan& program : with_all(plan)) {
    const Work& work = program.work;
    needs.push_back({program.name, duration(program.seconds), fmt::format("{:.3e}", work.flops),
                     bytes(program.worker_bytes), bytes(program.server_bytes),
                     bytes(program.process_bytes)});
    moved.push_back({program.name, bytes(work.local_bytes), bytes(work.fabric_bytes),
                     bytes(work.spilled_bytes), bytes(work.read_back_bytes)});
  }
  constexpr std::array<Column, 6> columns = {
      {{18, true}, {10, false}, {12, false}, {12, false}, {12, false}, {12, false}}};
  constexpr std::array<Column, 5> moved_columns = {
      {{18, true}, {12, false}, {12, false}, {12, false}, {12, false}}};
  return "\n" + print_table(columns, needs, width) + "\n" +
         print_table(moved_columns, moved, width);
}

bool is_remote(const ArrayPlan& array) {
  return array.kind == program::ArrayKind::distributed || array.kind == program::ArrayKind::served;
}

std::string print_arrays(const JobPlan& plan, std::size_t width) {
  std::vector<Row> rows = {{"arrays", "kind", "blocks", "largest", "all", "written"}};
  for (const ProgramPlan& program : plan.programs) {
    rows.push_back({program.name});
    for (const ArrayPlan& array : program.arrays)
      if (is_remote(array) || array.kind == program::ArrayKind::static_)
        rows.push_back({"  " + array.name, std::string(program::word_of(array.kind)),
                        fmt::format("{:.0f}", array.blocks), bytes(array.largest_block),
                        bytes(array.bytes), is_remote(array) ? bytes(array.peak_bytes) : ""});
  }
  constexpr std::array<Column, 6> columns = {
      {{22, true}, {12, true}, {8, false}, {11, false}, {11, false}, {11, false}}};
  return "\n" + print_table(columns, rows, width);
}

/// "  fits       everything stays in memory": what a line is about, and what it says.
std::string print_line(std::string_view about, std::string_view says, std::size_t width) {
  constexpr std::size_t indent = 13;
  const std::string begin = fmt::format("  {:<{}}", about, indent - 2);
  return begin +
         base::wrap(std::string(indent, ' ') + std::string(says), width, indent).substr(indent) +
         "\n";
}

std::string print_verdict(const JobPlan& plan, std::size_t width) {
  std::string text =
      "\n" + print_line("fits",
                        plan.fits ? "everything stays in memory"
                                  : fmt::format("with disk: {} written, {} read back",
                                                bytes(plan.work.spilled_bytes),
                                                bytes(plan.work.read_back_bytes)),
                        width);
  if (plan.least_processes_in_memory > 0)
    text +=
        print_line("processes",
                   fmt::format("{} of {} keep everything in memory", plan.least_processes_in_memory,
                               bytes(static_cast<double>(plan.memory_bytes))),
                   width);
  return text;
}

std::string print_assumptions(const JobPlan& plan, std::size_t width) {
  std::string text = print_line("machine", plan.machine, width);
  std::string_view title = "assumed";
  for (const ProgramPlan& program : plan.programs)
    for (const std::string& assumption : program.assumptions) {
      const std::size_t folder = assumption.rfind('/', assumption.find(':'));
      text += print_line(title, assumption.substr(folder + 1), width);
      title = "";
    }
  title = "sampled";
  for (const ProgramPlan& program : plan.programs)
    if (program.is_sampled) {
      text += print_line(
          title,
          fmt::format("{}: time +- {:.1f} % by the sample", program.name, 100 * program.error),
          width);
      title = "";
    }
  return text;
}

std::string count_of(int count, std::string_view one, std::string_view plural_end) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : plural_end);
}

}  // namespace

std::string print_plan(const JobPlan& plan, std::size_t width) {
  const PlanLayout& layout = plan.layout;
  return "\n" +
         print_line("plan",
                    fmt::format("{} of {} and {}", count_of(layout.processes, "process", "es"),
                                count_of(layout.workers, "worker", "s"),
                                count_of(layout.servers, "server", "s")),
                    width) +
         print_line("memory",
                    fmt::format("{} per process: {} per worker, {} per server",
                                bytes(static_cast<double>(plan.memory_bytes)),
                                bytes(layout.worker_bytes), bytes(layout.server_bytes)),
                    width) +
         print_assumptions(plan, width) + print_arrays(plan, width) + print_programs(plan, width) +
         print_verdict(plan, width);
}

std::string print_trials(const std::vector<SegmentTrial>& trials, std::size_t width) {
  if (trials.empty()) return "";
  std::vector<Row> rows = {{"segments", "ao", "occupied", "virtual", "time", "process", ""}};
  for (const SegmentTrial& trial : trials)
    rows.push_back({trial.is_given         ? "this job"
                    : &trial == &trials[0] ? "best"
                                           : "",
                    fmt::format("{}", trial.ao), fmt::format("{}", trial.occupied),
                    fmt::format("{}", trial.virtual_), duration(trial.seconds),
                    bytes(trial.process_bytes), trial.fits ? "" : "  with disk"});
  constexpr std::array<Column, 7> columns = {
      {{10, true}, {5, false}, {10, false}, {9, false}, {10, false}, {12, false}, {0, true}}};
  return "\n" + print_table(columns, rows, width);
}

}  // namespace blockyard::plan
