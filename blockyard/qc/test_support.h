// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "blockyard/base/error.h"
#include "blockyard/qc/basis_set.h"
#include "blockyard/qc/geometry.h"
#include "blockyard/qc/integrals.h"

// Molecules that several tests use; the geometries are those of shared/chem_refs.json.
namespace blockyard::qc::testing {

/// Where the basis set files lie: room.cmake says it.
inline const std::string data_folder = BLOCKYARD_QC_DATA;

inline constexpr std::string_view water =
    "O 0 0 0.1173\n"
    "H 0 0.7572 -0.4692\n"
    "H 0 -0.7572 -0.4692\n";

inline Molecule molecule_of(std::string_view geometry, LengthUnit unit = LengthUnit::angstrom) {
  return {parse_geometry(geometry, unit), 0, 1};
}

inline Integrals integrals_of(const Molecule& molecule, std::string_view basis, bool spherical) {
  return {molecule, place_basis(load_basis(basis, data_folder), molecule, spherical)};
}

/// The text of the Error that `run` throws, or "".
template <class Run>
std::string error_of(Run&& run) {
  try {
    run();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace blockyard::qc::testing
