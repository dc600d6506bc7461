// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "blockyard/qc/effective_core.h"

namespace blockyard::qc {

/// A contracted Gaussian shell of an element, without a place:
///   chi(r) = r^l Y_lm  sum over p of  coefficients[p] N_p exp(-exponents[p] r^2)
/// with N_p such that each primitive has norm 1. Exponents in bohr^-2.
struct Contraction {
  int angular_momentum = 0;  // 0 for s, 1 for p, ...
  std::vector<double> exponents;
  std::vector<double> coefficients;
  friend bool operator==(const Contraction&, const Contraction&) = default;
};

/// The shells of each element, by atomic number, in the order of the file, and the effective cores
/// that they were made for. Those of elements beyond heaviest_element are left out.
struct BasisSet {
  std::string name;
  std::map<int, std::vector<Contraction>> elements;
  std::map<int, EffectiveCore> cores = {};
  bool says_cartesian = false;  // the file: its functions are made to be Cartesian ones
};

/// Reads the NWChem format of the Basis Set Exchange: a line `symbol shells` (S, P, D, ... or SP)
/// and then lines `exponent coefficient ...`, one column for each contraction. Words before the
/// first element, blank lines, '#' comments, BASIS and END are skipped. General contractions are
/// split into segmented ones; primitives with coefficient 0 are left out. Effective cores stand
/// between ECP and END (detail/core_reader.h).
/// Throws Error{bad_input} with the line number for anything else.
[[nodiscard]] BasisSet parse_nwchem_basis(std::string_view text, std::string_view name);

/// Reads the Gaussian 94 format of the Basis Set Exchange: `symbol 0`, then for each shell
/// `shells primitives scale` and lines `exponent coefficient [coefficient of P]`, then `****`; and
/// of effective cores `symbol 0`, `NAME L electrons`, then for each potential its name, the number
/// of terms and lines `power exponent coefficient`, the local one of angular momentum L first.
/// Throws Error{bad_input} with the line number for anything else.
[[nodiscard]] BasisSet parse_gaussian_basis(std::string_view text, std::string_view name);

/// Reads the JSON format of the Basis Set Exchange: elements by atomic number, each with a list
/// `electron_shells` and, with an effective core, `ecp_electrons` and `ecp_potentials`.
/// Throws Error{bad_input} with the element for anything else.
[[nodiscard]] BasisSet parse_json_basis(std::string_view text, std::string_view name);

/// A basis set file of the user, in one of the three formats: JSON if it begins with a brace,
/// Gaussian 94 if a line is `****`, else NWChem.
/// Throws Error{io} if it cannot be read; other errors name the file.
[[nodiscard]] BasisSet read_basis(const std::string& path);

/// Names of the sets that come with Blockyard: "cc-pVDZ", "6-31G*", ...
[[nodiscard]] std::span<const std::string_view> known_basis_names();

/// The set of one of these names, in any letter case, also written 6-31G(d) or 6-31G(d,p).
/// folder: where the data files lie (share/basis in the source tree).
/// Throws Error{bad_input} that names the nearest known set and lists all; Error{io} if the file
/// cannot be read.
[[nodiscard]] BasisSet load_basis(std::string_view name, const std::string& folder);

/// Names of the sets for density fitting that come with Blockyard: "cc-pVDZ-RIFIT", ...
[[nodiscard]] std::span<const std::string_view> known_auxiliary_names();

/// One of these sets, by its own name or by that of the orbital basis that it was made for.
/// Throws as load_basis does.
[[nodiscard]] BasisSet load_auxiliary(std::string_view name, const std::string& folder);

}  // namespace blockyard::qc
