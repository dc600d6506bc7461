// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "blockyard/input/places.h"
#include "blockyard/input/spec.h"
#include "blockyard/qc/table.h"
#include "blockyard/worker/environment.h"

namespace blockyard::method {

using base::Extent;

/// The partition of the orbitals of one spin, in this order: frozen core, active occupied, virtual;
/// there are as many as basis functions.
struct Orbitals {
  Extent frozen = 0;
  Extent active_occupied = 0;
  Extent virtual_ = 0;
  std::vector<Extent> segments;  ///< extents; none crosses a border between the three
  Extent frozen_segments = 0;
  Extent occupied_segments = 0;
  Extent virtual_segments = 0;
};

/// A molecule in a basis, and the partition of its orbitals. For a closed shell both spins have the
/// same orbitals unless `unrestricted`.
struct Chemistry {
  qc::System system;
  std::string basis_name;
  std::string auxiliary_name;  ///< empty: integrals are not fitted by it
  Extent electrons = 0;
  bool unrestricted = false;
  Orbitals alpha;
  Orbitals beta;
  [[nodiscard]] Extent basis_functions() const {
    return alpha.frozen + alpha.active_occupied + alpha.virtual_;
  }
  /// Whether there is an active electron and a virtual orbital of its spin: otherwise there are
  /// no correlation and no excited states.
  [[nodiscard]] bool has_excitations() const { return single_excitations() > 0; }
  /// Excitations of one electron that keeps its spin; of a closed shell those of one spin.
  [[nodiscard]] Extent single_excitations() const {
    const Extent of_alpha = alpha.active_occupied * alpha.virtual_;
    return unrestricted ? of_alpha + beta.active_occupied * beta.virtual_ : of_alpha;
  }
  /// Whether correlated integrals come from three-index ones, of pivots or auxiliary functions.
  [[nodiscard]] bool has_fitted_integrals() const {
    return !system.pivots.empty() || !system.fitting.extents.empty();
  }
};

/// Reads the molecule and the basis of a job and partitions the orbitals. Throws Error for faults
/// of these, of the frozen core or the segments, and for a Cholesky decomposition that takes more
/// than the memory of the run. REQUIRES: spec.molecule.
[[nodiscard]] Chemistry read_chemistry(const input::Spec& spec, const input::Places& places);

/// Segments and constants of sialib/README.md for `method` ("" if the programs are the user's).
void add_constants(const Chemistry& chemistry, const input::MethodSpec& method,
                   worker::Environment& environment);

}  // namespace blockyard::method
