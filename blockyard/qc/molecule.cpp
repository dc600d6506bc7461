// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/molecule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "blockyard/base/error.h"
#include "blockyard/qc/configuration.h"
#include "blockyard/qc/element.h"

namespace blockyard::qc {
namespace {

constexpr double one_place_bohr = 1e-6;

[[noreturn]] void refuse(const std::string& message) {
  throw base::Error(base::Errc::bad_input, message);
}

double distance(const Vector3& a, const Vector3& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

void check_places(const Molecule& molecule) {
  const auto& atoms = molecule.atoms;
  for (std::size_t b = 0; b < atoms.size(); ++b)
    for (std::size_t a = 0; a < b; ++a)
      if (distance(atoms[a].position_bohr, atoms[b].position_bohr) < one_place_bohr)
        refuse(fmt::format("atoms {} ({}) and {} ({}) are in one place", a + 1, name_of(atoms[a]),
                           b + 1, name_of(atoms[b])));
}

}  // namespace

std::string name_of(const Atom& atom) {
  std::string name(element_symbol(atom.atomic_number));
  if (atom.label > 0) name += std::to_string(atom.label);
  return atom.is_ghost ? fmt::format("Gh({})", name) : name;
}

void check_molecule(const Molecule& molecule) {
  if (molecule.atoms.empty()) refuse("the molecule has no atoms");
  check_places(molecule);
  const Extent electrons = electron_count(molecule);
  if (electrons < 1)
    refuse(fmt::format("charge {} leaves the molecule no electron", molecule.charge));
  const Extent unpaired = molecule.multiplicity - 1;
  if (molecule.multiplicity < 1 || unpaired > electrons || (electrons - unpaired) % 2 != 0)
    refuse(
        fmt::format("multiplicity {} is impossible with {} electrons (charge {}): use {}",
                    molecule.multiplicity, electrons, molecule.charge,
                    electrons == 1 ? "2" : (electrons % 2 == 0 ? "1, 3, 5, ..." : "2, 4, 6, ...")));
}

Extent electron_count(const Molecule& molecule) {
  Extent count = -molecule.charge;
  for (const auto& atom : molecule.atoms) count += atom.charge();
  return count;
}

Extent alpha_count(const Molecule& molecule) {
  return (electron_count(molecule) + molecule.multiplicity - 1) / 2;
}

Extent beta_count(const Molecule& molecule) {
  return electron_count(molecule) - alpha_count(molecule);
}

Extent usual_frozen_core(const Molecule& molecule) {
  Extent count = 0;
  for (const auto& atom : molecule.atoms) {
    if (atom.is_ghost) continue;
    const auto noble = core_configuration(2 * core_orbitals(atom.atomic_number));
    const auto replaced = core_configuration(atom.core_electrons);
    for (std::size_t l = 0; l < noble.size(); ++l) count += std::max(0, noble[l] - replaced[l]) / 2;
  }
  return count;
}

std::vector<double> nuclear_charges(const Molecule& molecule) {
  std::vector<double> charges;
  for (const auto& atom : molecule.atoms) charges.push_back(atom.charge());
  return charges;
}

std::vector<Vector3> positions(const Molecule& molecule) {
  std::vector<Vector3> result;
  for (const auto& atom : molecule.atoms) result.push_back(atom.position_bohr);
  return result;
}

double nuclear_repulsion(std::span<const double> charges, std::span<const Vector3> coordinates) {
  base::require(charges.size() == coordinates.size(), "one charge for each position");
  double energy_hartree = 0.0;
  for (std::size_t b = 0; b < charges.size(); ++b)
    for (std::size_t a = 0; a < b; ++a) {
      const double distance_bohr = distance(coordinates[a], coordinates[b]);
      if (distance_bohr < one_place_bohr)
        refuse(fmt::format("atoms {} and {} are in one place", a + 1, b + 1));
      energy_hartree += charges[a] * charges[b] / distance_bohr;
    }
  return energy_hartree;
}

Vector3 nuclear_dipole(std::span<const double> charges, std::span<const Vector3> coordinates) {
  base::require(charges.size() == coordinates.size(), "one charge for each position");
  Vector3 dipole{};
  for (std::size_t atom = 0; atom < charges.size(); ++atom)
    for (std::size_t axis = 0; axis < 3; ++axis)
      dipole[axis] += charges[atom] * coordinates[atom][axis];
  return dipole;
}

}  // namespace blockyard::qc
