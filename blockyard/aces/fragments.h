// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/input/places.h"
#include "blockyard/input/spec.h"

namespace blockyard::aces {

/// For a job whose arrays natoms_frag and watom_frag part its molecule into fragments: the segments
/// of AOs and orbitals, each in one fragment, and what else programs for fragments ask for, unless
/// the job gives it (docs/super_instructions.md, Fragments). The orbitals are the occupied ones of
/// each fragment, then the virtual ones of each; the fragments are neutral closed shells. Other
/// jobs stay as they are. Throws Error{bad_input} for fragments that do not cover the atoms, are
/// not neutral closed shells or whose atoms do not stand together.
void add_fragments(const input::Places& places, input::Spec& spec);

}  // namespace blockyard::aces
