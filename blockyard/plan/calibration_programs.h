// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/plan/machine.h"

namespace blockyard::plan {

/// Runs small programs, one thing many times in each, and puts what one time takes into `machine`:
/// opcodes, statements, gets, puts, barriers, sums over workers, denominators, eigenvectors.
void measure_statements(Machine& machine);

}  // namespace blockyard::plan
