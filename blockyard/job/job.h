// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "blockyard/aces/dat/dat_job.h"
#include "blockyard/base/machine_limits.h"
#include "blockyard/input/places.h"
#include "blockyard/input/spec.h"
#include "blockyard/job/decisions.h"
#include "blockyard/job/embedding.h"
#include "blockyard/job/memory_plan.h"
#include "blockyard/method/chemistry.h"
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

/// A run, with all decisions and checks made that are possible before it begins.
struct Job {
  std::string title;
  std::string method;  ///< empty: the programs are the user's own
  std::optional<method::Chemistry> chemistry;
  std::string no_molecule;  ///< why the job's basis arrays cannot be used
  std::vector<Step> steps;
  worker::Environment environment;
  std::vector<super::Library> libraries;
  int workers = 1;  ///< of all processes, as servers
  int servers = 1;
  int processes = 1;
  int processes_on_node = 1;  ///< on the machine with the fewest cores for each
  int cores = 1;              ///< that those can use together
  bool serves_apart = false;  ///< a server has a process of its own
  MemoryPlan memory;          ///< of each process
  /// What any process is granted, where it was counted with others; not a part of job_bytes.
  std::optional<GrantedMemory> granted = {};
  input::RunSpec run;
  Embedding embedding;
  std::vector<Decision> decisions;
  /// SCF in the basis of run.guess, which this job starts from; empty: there is none.
  std::vector<Job> guess_job;
};

/// The processes that run a job together.
struct ProcessCount {
  int all = 1;
  int on_node = 1;                   ///< on the machine with the fewest cores for each
  int cores = base::usable_cores();  ///< that those can use together
  /// The least that any of them is granted; nothing: that of this process, when it is wanted.
  std::optional<GrantedMemory> granted = {};
};

/// A job, unless a program has errors.
struct Prepared {
  std::optional<Job> job;
  std::vector<sial::Diagnostic> found;  ///< in the user's programs
};

/// Compiles the programs, reads molecule and basis, sets up constants and segments, loads super
/// instructions, and plans the memory. Throws Error for any fault.
[[nodiscard]] Prepared prepare(const input::Spec& spec, const input::Places& places,
                               const ProcessCount& processes = {}, Embedding embedding = {});

/// Sets the numbers of ranks: workers wanted in each process, and servers. In several processes
/// `servers` are processes that only serve, and without such a wish each one serves as well.
/// Throws Error{bad_input} if that leaves no process to work.
void set_ranks(Job& job, std::optional<int> workers, std::optional<int> servers,
               const ProcessCount& processes);

/// What a process of the job takes without a wish. REQUIRES: set_ranks.
[[nodiscard]] UsualMemory usual_memory(const Job& job);

/// The memory plan for the ranks of a job. Throws Error{no_memory}.
[[nodiscard]] MemoryPlan plan(const Job& job);

/// The needs of each program, in the order of the steps.
[[nodiscard]] std::vector<ProgramNeed> memory_needs(const Job& job);

/// The job as given by a .dat file (aces/dat/dat_job.h); the job must outlive it.
[[nodiscard]] aces::dat::ReadyJob ready_job(const Job& job);

/// All super instructions that the programs may use; the job must outlive it. One for each worker.
[[nodiscard]] super::Table super_table(const Job& job);

/// Names of those that need no molecule.
[[nodiscard]] std::vector<std::string> super_instruction_names();

}  // namespace blockyard::job
