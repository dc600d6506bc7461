// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/qc/table.h"

namespace blockyard::qc::detail {

/// Steps of those SCF programs that need no molecule: occupations, damping, the particle ladder.
void add_scf_steps(super::Table& table);

/// What programs for perturbative triples want.
void add_triples(super::Table& table);

/// What programs on fragments want, but for integrals.
void add_fragments(super::Table& table);

/// Super instructions of the SCF programs of the literature that our own programs do without, and
/// those that old programs declare and never execute.
void add_scf_start(super::Table& table, const System& system);

}  // namespace blockyard::qc::detail
