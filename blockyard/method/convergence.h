// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

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

/// Throws Error{bad_input} where triplets of a closed shell are wanted and SCF went, from a guess,
/// to a solution whose orbitals are not the same for both spins: its states are no triplets.
void refuse_broken_spin(std::string_view method, const worker::Environment& environment,
                        const worker::Outcome& outcome);

}  // namespace blockyard::method
