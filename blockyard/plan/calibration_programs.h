// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/job/job.h"
#include "blockyard/plan/machine.h"

namespace blockyard::plan {

/// The small programs as a job, with memory enough for any number of workers.
[[nodiscard]] job::Job probe_job(int workers);

/// Runs small programs, each repeating one step, and puts the time of a step into `machine`:
/// opcodes, statements, gets, puts, barriers, sums over workers, denominators, eigenvectors.
void measure_statements(Machine& machine);

}  // namespace blockyard::plan
