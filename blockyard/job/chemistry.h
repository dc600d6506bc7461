// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "blockyard/job/places.h"
#include "blockyard/job/spec.h"
#include "blockyard/qc/table.h"
#include "blockyard/worker/environment.h"

namespace blockyard::job {

/// A molecule in a basis, and how its orbitals are parted. The orbitals are ordered: frozen core,
/// active occupied, virtual; there are as many as basis functions.
struct Chemistry {
  qc::System system;
  std::string basis_name;
  Extent electrons = 0;
  Extent frozen = 0;
  Extent active_occupied = 0;
  Extent virtual_ = 0;
  std::vector<Extent> moa;  ///< extents of the orbital segments
  Extent frozen_segments = 0;
  Extent occupied_segments = 0;
  Extent virtual_segments = 0;
  [[nodiscard]] Extent basis_functions() const { return frozen + active_occupied + virtual_; }
};

/// Reads the molecule and the basis of a job and parts the orbitals.
/// Throws Error that says what is wrong with the molecule, the basis, the frozen core or the
/// segments. REQUIRES: spec.molecule.
[[nodiscard]] Chemistry read_chemistry(const Spec& spec, const Places& places);

/// Segments and constants of sialib/README.md for `method` ("" if the programs are the user's).
void add_constants(const Chemistry& chemistry, const MethodSpec& method,
                   worker::Environment& environment);

/// The files in the folder of our programs that make up a method, in order.
/// Throws Error{bad_input} that names the nearest method.
[[nodiscard]] std::vector<std::string> programs_of_method(const std::string& method);

}  // namespace blockyard::job
