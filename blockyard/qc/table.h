// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "blockyard/qc/cholesky.h"
#include "blockyard/qc/integrals.h"
#include "blockyard/qc/molecule.h"
#include "blockyard/qc/segments.h"
#include "blockyard/super/super.h"

namespace blockyard::qc {

/// The data shared by the super instructions of a molecule. Immutable once made. Any thread.
struct System {
  Molecule molecule;
  Integrals integrals;
  AoSegments segments;  // of the kind `ao` in the job
  // The functions that fit products of basis functions, kind `la`: pivots of Cholesky integrals, or
  // segments of the auxiliary functions of `integrals`. At most one of them is not empty.
  std::vector<FunctionPair> pivots = {};
  AoSegments fitting = {};
};

/// Adds the super instructions that need no molecule: linear algebra, denominators, elementwise
/// work. They take their orbital numbers from the segments of the Context.
void add_algebra(super::Table& table);

/// Adds the super instructions on the molecule: integrals, Fock batches, first guess. Every table
/// gets integral engines of its own, so one table is used by one thread. `system` must outlive it.
void add_molecular(super::Table& table, const System& system);

/// Both.
void add_chemistry(super::Table& table, const System& system);

}  // namespace blockyard::qc
