// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blockyard/job/job.h"
#include "blockyard/plan/machine.h"
#include "blockyard/plan/walk.h"
#include "blockyard/plan/work.h"

/// Predicts the needs of a run without running it: docs/plan.md.
namespace blockyard::plan {

using base::Extent;

struct PlanOptions {
  int processes = 1;           ///< each with the ranks of a job that was prepared for one process
  double prepare_seconds = 0;  ///< that reading the job took
  WalkOptions walk;
};

struct JobPlan {
  std::string title;
  std::string machine;
  PlanLayout layout;
  std::int64_t memory_bytes = 0;  ///< of a process
  std::vector<ProgramPlan> programs;
  double seconds = 0;
  Work work;
  double process_bytes = 0;           ///< most of a process
  double base_bytes = 0;              ///< of that, the process itself
  bool fits = true;                   ///< nothing goes to disk
  int least_processes_in_memory = 0;  ///< with this memory each; 0: no number suffices
  double plan_seconds = 0;            ///< what making the plan took
};

/// Walks through the programs of the job, in the processes that it was prepared for; of a job for
/// one, in `processes` like that one, each with its part of the arrays.
[[nodiscard]] JobPlan make_plan(const job::Job& job, const Machine& machine,
                                const PlanOptions& options);

/// The warning at the start of a run whose arrays go to disk; "" if none do. `free_bytes`: the
/// space of the scratch folder, if known. Quick, and free of cost where memory is ample. "" too
/// where the plan fails: a forecast ends no run.
[[nodiscard]] std::string disk_warning(const job::Job& job, std::optional<double> free_bytes);

/// One choice of segment sizes that was tried.
struct SegmentTrial {
  Extent ao = 0, occupied = 0, virtual_ = 0;
  double seconds = 0;
  double process_bytes = 0;
  bool fits = false;      ///< in memory without disk
  bool is_given = false;  ///< the sizes of the job as it is
};

/// Tries sizes of segments around those of the job, one kind after the other, the fastest first, in
/// each of the `run_in` that a run has, or of those of the plan. Empty for jobs without a method.
/// Sizes that need too much memory are left out.
/// Throws Error{no_memory} if all do, about those of the job.
[[nodiscard]] std::vector<SegmentTrial> try_segments(const input::Spec& spec,
                                                     const input::Places& places,
                                                     const Machine& machine,
                                                     const PlanOptions& options,
                                                     const job::ProcessCount& run_in = {});

/// Gives the job the sizes with which its plan is fastest, and returns them. Throws
/// Error{bad_input} for a job without a method.
[[nodiscard]] SegmentTrial choose_segments(input::Spec& spec, const input::Places& places,
                                           const Machine& machine, const PlanOptions& options,
                                           const job::ProcessCount& run_in = {});

/// One line about the choice.
[[nodiscard]] std::string print_choice(const SegmentTrial& chosen);

/// For a reader, in lines of at most `width` characters.
[[nodiscard]] std::string print_plan(const JobPlan& plan, std::size_t width = 80);
[[nodiscard]] std::string print_trials(const std::vector<SegmentTrial>& trials,
                                       std::size_t width = 80);
/// One JSON object; docs/plan.md lists the keys.
[[nodiscard]] std::string plan_json(const JobPlan& plan, const std::vector<SegmentTrial>& trials);

}  // namespace blockyard::plan
