// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "blockyard/qc/molecule.h"

namespace blockyard::qc {

enum class LengthUnit { angstrom, bohr };

/// The unit of a name: "angstrom" or "bohr" (any case). Throws Error{bad_input} for another.
[[nodiscard]] LengthUnit parse_length_unit(std::string_view name);

/// Atoms of lines `symbol x y z`, one atom a line, either bare (blank lines and what follows a '#'
/// are skipped) or as an XYZ file: a line with the number of atoms, a comment line, the atoms. The
/// symbol may have a label, O1, and be that of a ghost, Gh(O) or Gh(O1).
/// Throws Error{bad_input} with the line number for a malformed line or an unknown element.
[[nodiscard]] std::vector<Atom> parse_geometry(std::string_view text, LengthUnit unit);

/// A geometry, bare, with numbers in the place of the names of variables among its coordinates: r
/// or -r. Throws Error{bad_input} for a variable that no line uses.
[[nodiscard]] std::string with_variables(std::string_view text,
                                         const std::map<std::string, double, std::less<>>& values);

/// parse_geometry of a file. Throws Error{io} if it cannot be read; other errors name the file.
[[nodiscard]] std::vector<Atom> read_geometry(const std::string& path, LengthUnit unit);

}  // namespace blockyard::qc
