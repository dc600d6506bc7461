// SPDX-License-Identifier: Apache-2.0
#include "blockyard/plan/calibration_job.h"

#include <algorithm>
#include <limits>

#include "blockyard/base/error.h"
#include "blockyard/input/job_file.h"
#include "blockyard/job/method_results.h"
#include "blockyard/job/run.h"
#include "blockyard/plan/plan.h"

namespace blockyard::plan {

namespace {

constexpr int rounds = 2;

/// Geometry in Angstrom: that of water in demo/h2o.toml.
constexpr std::string_view water = R"toml(
[molecule]
geometry = """
O 0  0.0000  0.1173
H 0  0.7572 -0.4692
H 0 -0.7572 -0.4692
"""
[basis]
name = "cc-pvtz"
[method]
name = "ccsd(t)"
)toml";

}  // namespace

input::Spec calibration_job(int workers) {
  constexpr std::int64_t least_bytes = std::int64_t{1} << 30;
  constexpr std::int64_t worker_bytes = std::int64_t{32} << 20;
  input::Spec spec = input::parse_job(water, "calibrate", "");
  spec.run.workers = workers;
  spec.run.memory_bytes = std::max(least_bytes, workers * worker_bytes);
  return spec;
}

double measure_job_ratio(const Machine& machine, const input::Places& places) {
  const job::Prepared prepared = job::prepare(calibration_job(machine.cores), places);
  base::require(prepared.job.has_value(), "our own programs compile");
  double seconds = std::numeric_limits<double>::infinity();
  PlanOptions options;
  for (int round = 0; round < rounds; ++round) {
    const job::Results results = job::run(*prepared.job, {});
    double taken = 0;
    for (const job::StepResult& step : results.steps) taken += step.seconds;
    seconds = std::min(seconds, taken);
    for (const method::IterationCount& found :
         job::method_results(*prepared.job, results).iterations)
      options.walk.iterations_of[found.method + "_rhf"] = found.count;
  }
  Machine parts = machine;
  parts.job_ratio = 1;
  parts.start_seconds = 0;
  return seconds / make_plan(*prepared.job, parts, options).seconds;
}

}  // namespace blockyard::plan
