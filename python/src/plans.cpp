// SPDX-License-Identifier: Apache-2.0
// What a job will need, without running it.
#include "python/src/plans.h"

#include "blockyard/base/machine_limits.h"
#include "blockyard/plan/plan.h"
#include "python/src/bindings.h"

namespace blockyard::python {

namespace {

/// The plan for people and as JSON (docs/plan.md). `machine`: file of `blockyard calibrate`, "":
/// what is assumed. `steps`: about how many instructions of a program are stepped through.
nb::tuple plan_job(const PyJob& job, const std::string& machine, int processes, double steps) {
  std::pair<std::string, std::string> texts;
  {
    const nb::gil_scoped_release release;
    plan::Machine rates = plan::assumed_machine();
    rates.cores = base::usable_cores();
    if (!machine.empty()) rates = plan::read_machine(machine);
    plan::PlanOptions options;
    options.processes = processes;
    options.walk.steps = steps;
    const plan::JobPlan found = plan::make_plan(job.job, rates, options);
    texts = {plan::print_plan(found), plan::plan_json(found, {})};
  }
  return nb::make_tuple(texts.first, texts.second);
}

}  // namespace

void bind_plans(nb::module_& module) { module.def("plan_job", &plan_job); }

}  // namespace blockyard::python
