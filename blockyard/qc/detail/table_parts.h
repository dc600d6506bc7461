// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/qc/table.h"

namespace blockyard::qc::detail {

/// Steps of those SCF programs that need no molecule: occupations, damping, the particle ladder.
void add_scf_steps(super::Table& table);

/// Adds the instructions for perturbative triples.
void add_triples(super::Table& table);

/// Adds the instructions for fragments, except integrals.
void add_fragments(super::Table& table);

/// Super instructions of the SCF programs of the literature that our own programs do without, and
/// those that old programs declare and never execute.
void add_scf_start(super::Table& table, const System& system);

}  // namespace blockyard::qc::detail
