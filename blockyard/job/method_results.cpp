// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/method_results.h"

#include <vector>

namespace blockyard::job {

namespace {

const method::Chemistry* chemistry_of(const Job& job) {
  return job.chemistry ? &*job.chemistry : nullptr;
}

std::vector<method::ProgramResult> programs_of(const Results& results) {
  std::vector<method::ProgramResult> programs;
  for (const StepResult& step : results.steps) programs.push_back({step.name, &step.outcome});
  return programs;
}

}  // namespace

method::MethodResults method_results(const Job& job, const Results& results) {
  method::MethodResults found =
      method::method_results(job.method, chemistry_of(job), programs_of(results));
  found.converged = results.unconverged.empty();
  return found;
}

method::Properties properties_of(const Job& job, const Results& results) {
  return method::properties_of(*job.chemistry, programs_of(results));
}

std::string note_of(const Job& job) { return method::note_of(job.method, chemistry_of(job)); }

}  // namespace blockyard::job
