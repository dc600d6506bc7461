// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "blockyard/job/chemistry.h"
#include "blockyard/job/memory_plan.h"
#include "blockyard/job/places.h"
#include "blockyard/job/spec.h"
#include "blockyard/program/program.h"
#include "blockyard/sial/diagnostic.h"
#include "blockyard/super/load.h"
#include "blockyard/worker/environment.h"

namespace blockyard::job {

/// A program of a job; `name` is that of its file without folder and ending.
struct Step {
  std::string name;
  program::Program program;
};

/// A run with everything decided and checked that can be before it begins.
struct Job {
  std::string title;
  std::string method;  ///< empty: the programs are the user's own
  std::optional<Chemistry> chemistry;
  std::vector<Step> steps;
  worker::Environment environment;
  std::vector<super::Library> libraries;
  int workers = 1;
  int servers = 1;
  MemoryPlan memory;
  RunSpec run;
};

/// A job, unless a program has errors.
struct Prepared {
  std::optional<Job> job;
  std::vector<sial::Diagnostic> found;  ///< in the user's programs
};

/// Compiles the programs, reads molecule and basis, sets up constants and segments, loads super
/// instructions, and plans the memory. Throws Error for what is wrong.
[[nodiscard]] Prepared prepare(const Spec& spec, const Places& places);

/// The memory plan for the ranks of a job. Throws Error{no_memory}.
[[nodiscard]] MemoryPlan plan(const Job& job);

/// What each program needs, in the order of the steps.
[[nodiscard]] std::vector<ProgramNeed> memory_needs(const Job& job);

/// All super instructions that the programs may use; the job must outlive it. One for each worker.
[[nodiscard]] super::Table super_table(const Job& job);

/// Names of those that need no molecule.
[[nodiscard]] std::vector<std::string> super_instruction_names();

}  // namespace blockyard::job
