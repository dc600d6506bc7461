// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/ao_basis.h"

#include <fmt/format.h>

#include "blockyard/base/error.h"
#include "blockyard/qc/element.h"

namespace blockyard::qc {
namespace {

constexpr int highest_angular_momentum = 5;  // what Debian's libint2 is built for

const std::vector<Contraction>& contractions_of(const BasisSet& basis, int atomic_number,
                                                std::size_t atom) {
  const auto found = basis.elements.find(atomic_number);
  if (found == basis.elements.end())
    throw base::Error(base::Errc::bad_input,
                      fmt::format("basis set {} has no functions for {} (atom {})", basis.name,
                                  element_symbol(atomic_number), atom + 1));
  for (const auto& contraction : found->second)
    if (contraction.angular_momentum > highest_angular_momentum)
      throw base::Error(base::Errc::bad_input,
                        fmt::format("basis set {} has functions beyond h for {}: they are not "
                                    "supported",
                                    basis.name, element_symbol(atomic_number)));
  return found->second;
}

}  // namespace

Extent shell_function_count(int angular_momentum, bool spherical) {
  const Extent l = angular_momentum;
  return spherical ? 2 * l + 1 : (l + 1) * (l + 2) / 2;
}

AoBasis place_basis(const BasisSet& basis, const Molecule& molecule, bool spherical) {
  AoBasis placed;
  placed.spherical = spherical;
  for (std::size_t atom = 0; atom < molecule.atoms.size(); ++atom) {
    const auto& [atomic_number, position] = molecule.atoms[atom];
    for (const auto& contraction : contractions_of(basis, atomic_number, atom)) {
      const Extent count = shell_function_count(contraction.angular_momentum, spherical);
      placed.shells.push_back({atom, position, contraction, placed.function_count, count});
      placed.function_count += count;
    }
  }
  return placed;
}

}  // namespace blockyard::qc
