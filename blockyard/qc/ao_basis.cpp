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

const std::vector<Contraction>& contractions_of(const BasisSet& basis, int atomic_number,
                                                std::size_t atom, int highest) {
  const auto found = basis.elements.find(atomic_number);
  if (found == basis.elements.end())
    throw base::Error(base::Errc::bad_input,
                      fmt::format("basis set {} has no functions for {} (atom {})", basis.name,
                                  element_symbol(atomic_number), atom + 1));
  for (const auto& contraction : found->second)
    if (contraction.angular_momentum > highest)
      throw base::Error(base::Errc::bad_input,
                        fmt::format("basis set {} has functions beyond {} for {}: they are not "
                                    "supported",
                                    basis.name, highest == highest_momentum ? 'h' : 'k',
                                    element_symbol(atomic_number)));
  return found->second;
}

AoBasis place(const BasisSet& basis, const Molecule& molecule, bool spherical, int highest) {
  AoBasis placed;
  placed.spherical = spherical;
  for (std::size_t atom = 0; atom < molecule.atoms.size(); ++atom) {
    const auto& [atomic_number, position] = molecule.atoms[atom];
    for (const auto& contraction : contractions_of(basis, atomic_number, atom, highest)) {
      const Extent count = shell_function_count(contraction.angular_momentum, spherical);
      placed.shells.push_back({atom, position, contraction, placed.function_count, count});
      placed.function_count += count;
    }
  }
  return placed;
}

}  // namespace

Extent shell_function_count(int angular_momentum, bool spherical) {
  const Extent l = angular_momentum;
  return spherical ? 2 * l + 1 : (l + 1) * (l + 2) / 2;
}

AoBasis place_basis(const BasisSet& basis, const Molecule& molecule, bool spherical) {
  return place(basis, molecule, spherical, highest_momentum);
}

AoBasis place_auxiliary(const BasisSet& basis, const Molecule& molecule) {
  return place(basis, molecule, true, highest_auxiliary_momentum);
}

}  // namespace blockyard::qc
