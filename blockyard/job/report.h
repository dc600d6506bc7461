// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "blockyard/job/run.h"

/// What a run is told as: texts for people, JSON for programs. docs/how_to/job_file.md lists keys.
namespace blockyard::job {

/// "0.1.0": that of the CMake project.
[[nodiscard]] std::string_view version() noexcept;

/// The input as understood: title, molecule, basis, orbitals, segments, method, programs.
[[nodiscard]] std::string print_input(const Job& job);

/// That, and how this run does it: ranks, memory plan.
[[nodiscard]] std::string print_header(const Job& job);

/// The last table: energies (of a method) and wall time by program.
[[nodiscard]] std::string print_summary(const Job& job, const Results& results);

/// Where the time went: waits by source line and array, super instructions, transfers.
[[nodiscard]] std::string print_profile(const Results& results);

/// One JSON object with the numbers of a run: energies of a method, or what is left of the
/// programs: scalars, ints and static arrays (first index fastest).
[[nodiscard]] std::string results_json(const Job& job, const Results& results);

/// One JSON object with the metrics of every program, worker and server, and the memory plan.
[[nodiscard]] std::string metrics_json(const Job& job, const Results& results);

}  // namespace blockyard::job
