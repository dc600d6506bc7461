// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "blockyard/worker/worker.h"

namespace blockyard::method {

/// False if a program of ours ended with its scalar `converged` 0. A program without that scalar
/// has nothing to converge.
[[nodiscard]] bool has_converged(const worker::Outcome& outcome);

/// What to try if a program has not converged, and that it has not; empty if it has.
/// `saved`: the file with what it has, if any.
[[nodiscard]] std::string convergence_failure(const std::string& program,
                                              const worker::Environment& environment,
                                              const worker::Outcome& outcome,
                                              const std::string& saved = {});

}  // namespace blockyard::method
