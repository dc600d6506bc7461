// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "blockyard/job/run.h"
#include "blockyard/method/energies.h"
#include "blockyard/method/properties.h"

namespace blockyard::job {

/// The results of the method of a job.
[[nodiscard]] method::MethodResults method_results(const Job& job, const Results& results);

/// The other results of its programs. REQUIRES: a job with a molecule and a method.
[[nodiscard]] method::Properties properties_of(const Job& job, const Results& results);

/// A note for the user about a job of ours; empty: none.
[[nodiscard]] std::string note_of(const Job& job);

}  // namespace blockyard::job
