// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "blockyard/job/job.h"
#include "blockyard/job/run.h"

/// `--guess basis:NAME`: SCF in another basis, usually a smaller one, as a job of its own before
/// the one that starts from its orbitals.
namespace blockyard::job {

/// The job that `spec` starts from. Throws Error for any fault, such as an unknown basis.
[[nodiscard]] Job prepare_guess(const input::Spec& spec, const input::Places& places,
                                const ProcessCount& processes);

/// Collective. Runs the job that this one starts from: its orbitals, projected, under the labels by
/// which programs find a guess; nothing if there is no such job. They need not have converged.
[[nodiscard]] std::map<std::string, worker::DenseArray, std::less<>> orbitals_of_guess(
    const Job& job, const Hooks& hooks, fabric::MpiSession* session);

}  // namespace blockyard::job
