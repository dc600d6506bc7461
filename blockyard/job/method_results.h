// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "blockyard/job/run.h"
#include "blockyard/method/energies.h"
#include "blockyard/method/properties.h"

namespace blockyard::job {

/// What the method of a job found.
[[nodiscard]] method::MethodResults method_results(const Job& job, const Results& results);

/// What its programs leave besides. REQUIRES: a job with a molecule and a method.
[[nodiscard]] method::Properties properties_of(const Job& job, const Results& results);

/// What a user should know of a job of ours; empty: nothing.
[[nodiscard]] std::string note_of(const Job& job);

}  // namespace blockyard::job
