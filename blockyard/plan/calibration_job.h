// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/input/places.h"
#include "blockyard/input/spec.h"
#include "blockyard/plan/machine.h"

namespace blockyard::plan {

/// The job that is measured, with memory enough for any number of workers.
[[nodiscard]] input::Spec calibration_job(int workers);

/// Runs CCSD(T) of water in a basis of 58 functions on workers for all cores, and returns the ratio
/// of that time to the plan's with the rates of `machine`. Rates are those of one
/// kind of statement repeated: a job changes between many, meets each block anew, and its
/// workers wait for one another. The best of several runs.
/// Throws Error if the programs or the basis are not at `places`.
[[nodiscard]] double measure_job_ratio(const Machine& machine, const input::Places& places);

}  // namespace blockyard::plan
