// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/plan/machine.h"

namespace blockyard::plan {

/// Runs small programs, each repeating one step, and puts the time of a step into `machine`:
/// opcodes, statements, gets, puts, barriers, sums over workers, denominators, eigenvectors.
void measure_statements(Machine& machine);

}  // namespace blockyard::plan
