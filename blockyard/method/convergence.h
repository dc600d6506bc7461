// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "blockyard/worker/worker.h"

namespace blockyard::method {

/// False if a program of ours ended with its scalar `converged` 0. A program without that scalar
/// has nothing to converge.
[[nodiscard]] bool has_converged(const worker::Outcome& outcome);

/// The report that a program has not converged, with what to try; empty if it has.
/// `saved`: the file with its last state, if any.
[[nodiscard]] std::string convergence_failure(const std::string& program,
                                              const worker::Environment& environment,
                                              const worker::Outcome& outcome,
                                              const std::string& saved = {});

}  // namespace blockyard::method
