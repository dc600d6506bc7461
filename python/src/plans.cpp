// SPDX-License-Identifier: Apache-2.0
// Predicts the needs of a job without running it.
#include "python/src/plans.h"

#include "blockyard/base/machine_limits.h"
#include "blockyard/fabric/mpi/agree.h"
#include "blockyard/job/processes.h"
#include "blockyard/plan/plan.h"
#include "python/src/bindings.h"

namespace blockyard::python {

namespace {

/// The rates from `blockyard calibrate`, or the defaults for this machine.
plan::Machine machine_of(const std::string& file) {
  if (!file.empty()) return plan::read_machine(file);
  plan::Machine machine = plan::assumed_machine();
  machine.cores = base::usable_cores();
  return machine;
}

plan::PlanOptions options_of(int processes, double steps,
                             const std::map<std::string, int>& iterations) {
  plan::PlanOptions options;
  options.processes = processes;
  if (steps > 0) options.walk.steps = steps;
  for (const auto& [program, count] : iterations) {
    if (program.empty())
      options.walk.iterations = count;
    else
      options.walk.iterations_of[program] = count;
  }
  return options;
}

/// The plan for people and as JSON (docs/plan.md). `machine`: file of `blockyard calibrate`, "":
/// what is assumed. `steps`: about how many instructions of a program are stepped through, 0: as
/// usual. `iterations`: of loops until convergence, by program; "": of all others.
nb::tuple plan_job(const PyJob& job, const std::string& machine, int processes, double steps,
                   const std::map<std::string, int>& iterations) {
  std::pair<std::string, std::string> texts;
  {
    const nb::gil_scoped_release release;
    const plan::JobPlan found =
        plan::make_plan(job.job, machine_of(machine), options_of(processes, steps, iterations));
    texts = {plan::print_plan(found), plan::plan_json(found, {})};
  }
  return nb::make_tuple(texts.first, texts.second);
}

/// The same with other sizes of segments tried.
nb::tuple plan_segments(const PyJob& job, const input::Spec& spec, const input::Places& places,
                        const std::string& machine, int processes, double steps,
                        const std::map<std::string, int>& iterations) {
  std::pair<std::string, std::string> texts;
  {
    const nb::gil_scoped_release release;
    const plan::Machine rates = machine_of(machine);
    const plan::PlanOptions options = options_of(processes, steps, iterations);
    const plan::JobPlan found = plan::make_plan(job.job, rates, options);
    const auto trials = plan::try_segments(spec, places, rates, options);
    texts = {plan::print_plan(found) + plan::print_trials(trials), plan::plan_json(found, trials)};
  }
  return nb::make_tuple(texts.first, texts.second);
}

/// Collective. Gives the job of process 0 the sizes that are the fastest in the processes of this
/// run, or, without them, in so many of `count`; tells them there, and "" at the others.
std::string choose_segments(input::Spec& spec, const input::Places& places,
                            const std::string& machine, int count,
                            std::shared_ptr<PyProcesses> processes) {
  const nb::gil_scoped_release release;
  fabric::MpiSession* session = processes ? processes->session.get() : nullptr;
  const job::ProcessCount run_in = job::count_processes(session);
  std::string told;
  (void)fabric::share(session, [&] {
    told = plan::print_choice(
        plan::choose_segments(spec, places, machine_of(machine), options_of(count, 0, {}), run_in));
    return std::vector<std::byte>();
  });
  return told;
}

}  // namespace

void bind_plans(nb::module_& module) {
  module.def("plan_job", &plan_job);
  module.def("plan_segments", &plan_segments);
  module.def("choose_segments", &choose_segments, nb::arg("spec"), nb::arg("places"),
             nb::arg("machine"), nb::arg("count"), nb::arg("processes").none());
}

}  // namespace blockyard::python
