// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/sial/checked.h"

namespace blockyard::sial::detail {

/// Checks what depends on loops and calls: indexes used outside of their loops, loops over an
/// index in use, pardo and barriers within pardo, also through calls. Marks the reachable procs.
void check_loops(checked::Unit& unit, Findings& findings);

/// Warnings about values: temps read before they are written on some path; a get of an array put
/// in the same epoch on every path, also by the previous iteration of a loop; a block of a shared
/// array read that no path fetched; local blocks never deallocated.
void check_data_flow(const checked::Unit& unit, Findings& findings);

/// Warnings about scalars printed, kept or compared that differ from worker to worker.
void check_workers(const checked::Unit& unit, Findings& findings);

}  // namespace blockyard::sial::detail
