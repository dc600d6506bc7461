// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/ao_basis.h"

#include <fmt/format.h>

#include "blockyard/base/error.h"
#include "blockyard/qc/element.h"

namespace blockyard::qc {
namespace {

// What Debian's libint2 is built for
constexpr int highest_momentum = 5;
constexpr int highest_auxiliary_momentum = 7;

const std::vector<Contraction>& contractions_of(const BasisSet& basis, const Atom& atom,
                                                std::size_t number, int highest) {
  const auto found = basis.elements.find(atom.atomic_number);
  const auto symbol = element_symbol(atom.atomic_number);
  if (found == basis.elements.end())
    throw base::Error(base::Errc::bad_input,
                      fmt::format("basis set {} has no functions for {} (atom {})", basis.name,
                                  symbol, number + 1));
  for (const auto& contraction : found->second)
    if (contraction.angular_momentum > highest)
      throw base::Error(base::Errc::bad_input,
                        fmt::format("basis set {} has functions beyond {} for {}: they are not "
                                    "supported",
                                    basis.name, highest == highest_momentum ? 'h' : 'k', symbol));
  return found->second;
}

/// Null: the atom has no effective core.
const EffectiveCore* core_of(const AtomSets& sets, const Atom& atom) {
  if (sets.cores == nullptr || atom.is_ghost) return nullptr;
  const auto found = sets.cores->cores.find(atom.atomic_number);
  return found == sets.cores->cores.end() ? nullptr : &found->second;
}

AoBasis place(std::span<const AtomSets> sets, const Molecule& molecule, bool spherical,
              int highest) {
  base::require(sets.size() == molecule.atoms.size(), "every atom has its sets");
  AoBasis placed;
  placed.spherical = spherical;
  for (std::size_t number = 0; number < molecule.atoms.size(); ++number) {
    const Atom& atom = molecule.atoms[number];
    for (const auto& contraction :
         contractions_of(*sets[number].functions, atom, number, highest)) {
      const Extent count = shell_function_count(contraction.angular_momentum, spherical);
      placed.shells.push_back(
          {number, atom.position_bohr, contraction, placed.function_count, count});
      placed.function_count += count;
    }
  }
  return placed;
}

std::vector<AtomSets> functions_only(const BasisSet& basis, const Molecule& molecule) {
  return {molecule.atoms.size(), AtomSets{&basis, nullptr}};
}

}  // namespace

Extent shell_function_count(int angular_momentum, bool spherical) {
  const Extent l = angular_momentum;
  return spherical ? 2 * l + 1 : (l + 1) * (l + 2) / 2;
}

void take_cores(std::span<const AtomSets> sets, Molecule& molecule) {
  base::require(sets.size() == molecule.atoms.size(), "every atom has its sets");
  for (std::size_t number = 0; number < sets.size(); ++number) {
    const EffectiveCore* core = core_of(sets[number], molecule.atoms[number]);
    molecule.atoms[number].core_electrons = core == nullptr ? 0 : core->electrons;
  }
}

AoBasis place_basis(std::span<const AtomSets> sets, const Molecule& molecule, bool spherical) {
  AoBasis placed = place(sets, molecule, spherical, highest_momentum);
  for (std::size_t number = 0; number < sets.size(); ++number) {
    const Atom& atom = molecule.atoms[number];
    const EffectiveCore* core = core_of(sets[number], atom);
    base::require(atom.core_electrons == (core == nullptr ? 0 : core->electrons),
                  "an atom knows the electrons of its effective core");
    if (core != nullptr) placed.cores.push_back({number, atom.position_bohr, *core});
  }
  return placed;
}

AoBasis place_basis(const BasisSet& basis, const Molecule& molecule, bool spherical) {
  return place(functions_only(basis, molecule), molecule, spherical, highest_momentum);
}

AoBasis place_auxiliary(const BasisSet& basis, const Molecule& molecule) {
  return place(functions_only(basis, molecule), molecule, true, highest_auxiliary_momentum);
}

}  // namespace blockyard::qc
