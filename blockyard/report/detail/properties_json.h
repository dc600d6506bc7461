// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "blockyard/job/run.h"
#include "blockyard/method/energies.h"

namespace blockyard::report::detail {

/// Adds `geometry` of a job with a molecule, and of a method `dipoles_debye`, `orbitals`, `charges`
/// and `diagnostics`. docs/how_to/job_file.md says what they hold.
void add_properties(nlohmann::ordered_json& json, const job::Job& job, const job::Results& results);

/// Adds `leading`, `transition_dipoles` and `oscillator` of excited states, as far as they are
/// known.
void add_state_details(nlohmann::ordered_json& json, const method::Excitations& states);

}  // namespace blockyard::report::detail
