// SPDX-License-Identifier: Apache-2.0
#include "blockyard/method/molecule_in_basis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/qc/element.h"
#include "blockyard/qc/geometry.h"

namespace blockyard::method {

using base::Errc;
using base::Error;

namespace {

constexpr std::string_view no_potentials = "none";

/// Reads each set once; the addresses of those read stay.
class Sets {
 public:
  explicit Sets(const input::Places& places) : places_(places) {}

  const qc::BasisSet& read(const input::SetSpec& spec) {
    const std::string key = spec.name + '\n' + spec.file + '\n' + spec.text;
    const auto found = sets_.find(key);
    return found != sets_.end() ? found->second : sets_.emplace(key, load(spec)).first->second;
  }
  const qc::BasisSet& named(const std::string& name) { return read({name, {}, {}}); }

 private:
  [[nodiscard]] qc::BasisSet load(const input::SetSpec& spec) const {
    if (!spec.text.empty()) return qc::parse_nwchem_basis(spec.text, "of the job");
    return spec.file.empty() ? qc::load_basis(spec.name, places_.basis_sets)
                             : qc::read_basis(spec.file);
  }

  const input::Places& places_;
  std::map<std::string, qc::BasisSet> sets_;
};

/// The keys by which [basis.atoms] may name an atom, the most particular first.
std::vector<std::string> keys_of(const qc::Atom& atom, std::size_t number) {
  const std::string symbol = base::lower(qc::element_symbol(atom.atomic_number));
  std::vector<std::string> keys = {std::to_string(number + 1), symbol};
  if (atom.label > 0) keys.insert(keys.begin() + 1, symbol + std::to_string(atom.label));
  return keys;
}

/// Throws for a key that no atom has.
void check_keys(const qc::Molecule& molecule, const input::BasisSpec& basis) {
  for (const auto& [key, set] : basis.atoms) {
    bool is_used = false;
    for (std::size_t k = 0; k < molecule.atoms.size(); ++k)
      for (const std::string& of_atom : keys_of(molecule.atoms[k], k))
        is_used = is_used || of_atom == base::lower(key);
    if (!is_used)
      throw Error(Errc::bad_input,
                  fmt::format("[basis.atoms] {}: the molecule has no such atom: give an element "
                              "(O), a label of the geometry (O1) or the number of an atom, from 1 "
                              "to {}",
                              key, molecule.atoms.size()));
  }
}

/// The basis of an atom: the most specific entries first, the rest as for all atoms.
input::AtomBasisSpec spec_of(const qc::Atom& atom, std::size_t number,
                             const input::BasisSpec& basis) {
  input::AtomBasisSpec result;
  const auto take = [&](const input::AtomBasisSpec& from) {
    if (result.set.empty()) result.set = from.set;
    if (result.ecp.empty()) result.ecp = from.ecp;
  };
  for (const std::string& key : keys_of(atom, number))
    for (const auto& [name, of_name] : basis.atoms)
      if (base::lower(name) == key) take(of_name);
  take({basis, basis.ecp});
  return result;
}

/// The set that an atom has its effective core from. Throws if it lacks the element that its
/// functions want one for.
const qc::BasisSet* cores_of(const input::AtomBasisSpec& spec, const qc::BasisSet& functions,
                             const qc::Atom& atom, std::size_t number, Sets& sets) {
  const bool has_own = functions.cores.contains(atom.atomic_number);
  if (spec.ecp.empty()) return has_own ? &functions : nullptr;
  const auto symbol = qc::element_symbol(atom.atomic_number);
  if (base::lower(spec.ecp) == no_potentials) {
    if (has_own && !atom.is_ghost)
      throw Error(Errc::bad_input,
                  fmt::format("ecp = \"none\": the functions of {} for {} (atom {}) are made for "
                              "an effective core and cannot describe its inner electrons",
                              functions.name, symbol, number + 1));
    return nullptr;
  }
  const qc::BasisSet& cores = sets.named(spec.ecp);
  if (cores.cores.empty())
    throw Error(Errc::bad_input,
                fmt::format("ecp = \"{}\": the set {} has no effective core potentials", spec.ecp,
                            cores.name));
  if (has_own && !cores.cores.contains(atom.atomic_number))
    throw Error(Errc::bad_input,
                fmt::format("ecp = \"{}\": the set {} has no effective core of {} (atom {}), which "
                            "the functions of {} are made for",
                            spec.ecp, cores.name, symbol, number + 1, functions.name));
  return &cores;
}

/// A charge or multiplicity, which check_molecule looks at more closely.
int possible(std::int64_t value, std::string_view key) {
  constexpr std::int64_t beyond_all = 1'000'000;
  if (value < -beyond_all || value > beyond_all)
    throw Error(Errc::bad_input, fmt::format("{} {} is impossible", key, value));
  return static_cast<int>(value);
}

}  // namespace

MoleculeInBasis read_molecule(const input::MoleculeSpec& spec, const input::BasisSpec& basis,
                              const input::Places& places) {
  const qc::LengthUnit unit = qc::parse_length_unit(spec.units);
  MoleculeInBasis result;
  qc::Molecule& molecule = result.molecule;
  molecule.atoms = spec.file.empty() ? qc::parse_geometry(spec.geometry, unit)
                                     : qc::read_geometry(spec.file, unit);
  molecule.charge = possible(spec.charge, "charge");
  molecule.multiplicity = possible(spec.multiplicity, "multiplicity");
  check_keys(molecule, basis);
  Sets sets(places);
  std::vector<qc::AtomSets> of_atoms;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < molecule.atoms.size(); ++k) {
    const input::AtomBasisSpec wanted = spec_of(molecule.atoms[k], k, basis);
    if (wanted.set.empty())
      throw Error(Errc::bad_input, fmt::format("atom {} ({}) has no basis set: give [basis] name, "
                                               "or one for it in [basis.atoms]",
                                               k + 1, name_of(molecule.atoms[k])));
    const qc::BasisSet& functions = sets.read(wanted.set);
    of_atoms.push_back({&functions, cores_of(wanted, functions, molecule.atoms[k], k, sets)});
    const bool is_own = !wanted.set.file.empty() || !wanted.set.text.empty();
    if (is_own && functions.says_cartesian && !basis.spherical)
      throw Error(Errc::bad_input,
                  fmt::format("the basis set {} says that its functions are Cartesian: set in "
                              "[basis] spherical = false, or true for spherical ones all the same",
                              functions.name));
    if (std::ranges::find(names, functions.name) == names.end()) names.push_back(functions.name);
  }
  qc::take_cores(of_atoms, molecule);
  qc::check_molecule(molecule);
  result.basis = qc::place_basis(of_atoms, molecule, basis.spherical.value_or(true));
  result.basis_name = fmt::format("{}", fmt::join(names, ", "));
  return result;
}

qc::BasisSet read_auxiliary(const input::BasisSpec& spec, const input::Places& places) {
  if (!spec.auxiliary_file.empty()) return qc::read_basis(spec.auxiliary_file);
  if (!spec.auxiliary.empty()) return qc::load_auxiliary(spec.auxiliary, places.basis_sets);
  std::string why = "the basis has no name, and no fitting set belongs to it";
  if (!spec.name.empty()) try {
      return qc::load_auxiliary(spec.name, places.basis_sets);
    } catch (const Error& error) {
      why = error.what();
    }
  throw Error(Errc::bad_input,
              fmt::format("integrals = \"df\": {}; name one in [basis] auxiliary, or a file in "
                          "auxiliary_file",
                          why));
}

}  // namespace blockyard::method
