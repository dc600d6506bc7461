// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/job/plan/machine.h"

namespace blockyard::job {

/// Runs small programs, one thing many times in each, and puts what one time takes into `machine`:
/// opcodes, statements, gets, puts, barriers, sums over workers, denominators, eigenvectors.
void measure_statements(Machine& machine);

}  // namespace blockyard::job
