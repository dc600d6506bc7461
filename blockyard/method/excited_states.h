// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/method/energies.h"

namespace blockyard::method {

/// Adds the leading excitations of each state and, for singlets of CIS and of EOM-CCSD with left
/// states, transition dipole moments and oscillator strengths, as far as the arrays of the program
/// are there.
void describe_states(const Chemistry& chemistry, std::span<const ProgramResult> results,
                     const ProgramResult& step, Excitations& states);

}  // namespace blockyard::method
