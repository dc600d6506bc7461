// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/integrals.h"

#include <algorithm>
#include <cmath>

#include "blockyard/base/error.h"
#include "blockyard/qc/detail/integral_data.h"

namespace blockyard::qc {
namespace {

libint2::Shell to_libint(const Shell& shell, bool spherical) {
  const auto& [l, exponents, coefficients] = shell.contraction;
  // p functions stay x, y, z: the spherical ones are the same in another order.
  const bool pure = spherical && l > 1;
  return {{exponents.begin(), exponents.end()},
          {{l, pure, {coefficients.begin(), coefficients.end()}}},
          {{shell.center_bohr[0], shell.center_bohr[1], shell.center_bohr[2]}}};
}

std::vector<std::pair<double, std::array<double, 3>>> point_charges(const Molecule& molecule) {
  std::vector<std::pair<double, std::array<double, 3>>> charges;
  for (const auto& atom : molecule.atoms) charges.emplace_back(atom.charge(), atom.position_bohr);
  return charges;
}

}  // namespace

void Integrals::Data::add_pairs() {
  const double ln_threshold = std::log(options.primitive_threshold);
  for (const auto& a : shells)
    for (const auto& b : shells) pairs.emplace_back(a, b, ln_threshold).primpairs.shrink_to_fit();
  for (const auto& p : auxiliary_shells)
    auxiliary_pairs.emplace_back(p, libint2::Shell::unit(), ln_threshold);
}

std::vector<detail::FamilyPiece> Integrals::Data::pieces_of(ShellRange range) const {
  std::vector<detail::FamilyPiece> pieces;
  const std::size_t end = range.first + range.count;
  for (const detail::ShellFamily& family : families) {
    const std::size_t begin = std::max(family.first, range.first);
    const std::size_t stop = std::min(family.first + family.count, end);
    if (begin < stop) pieces.push_back({&family, begin, stop - begin});
  }
  return pieces;
}

void Integrals::Data::add_auxiliary(AoBasis functions) {
  for (const auto& shell : functions.shells) {
    auxiliary_shells.push_back(to_libint(shell, functions.spherical));
    const auto& [l, exponents, coefficients] = shell.contraction;
    most_auxiliary_primitives = std::max(most_auxiliary_primitives, exponents.size());
    highest_auxiliary_momentum = std::max(highest_auxiliary_momentum, l);
  }
  auxiliary = std::move(functions);
}

Integrals::Integrals(const Molecule& molecule, AoBasis basis, IntegralOptions options,
                     AoBasis auxiliary) {
  // Tables of libint2 that are the same for every molecule; made once, on first use.
  static const bool libint_is_ready = (libint2::initialize(), prepare_boys_function(), true);
  base::require(libint_is_ready, "libint2 starts");
  auto data = std::make_unique<Data>();
  data->options = options;
  data->charges = point_charges(molecule);
  for (const auto& shell : basis.shells) {
    data->shells.push_back(to_libint(shell, basis.spherical));
    data->most_primitives = std::max(data->most_primitives, shell.contraction.exponents.size());
    data->highest_momentum = std::max(data->highest_momentum, shell.contraction.angular_momentum);
  }
  std::vector<std::size_t> atoms;
  for (const auto& shell : basis.shells) atoms.push_back(shell.atom);
  data->families = detail::families_of(data->shells, atoms);
  if (!basis.cores.empty())
    data->cores = std::make_unique<detail::CoreIntegrals>(basis, data->shells);
  data->basis = std::move(basis);
  data->add_auxiliary(std::move(auxiliary));
  data->add_pairs();
  data->add_bounds();
  data->add_auxiliary_bounds();
  data_ = std::move(data);
}

Integrals::~Integrals() = default;
Integrals::Integrals(Integrals&&) noexcept = default;
Integrals& Integrals::operator=(Integrals&&) noexcept = default;

const AoBasis& Integrals::basis() const noexcept { return data_->basis; }

const AoBasis& Integrals::auxiliary() const noexcept { return data_->auxiliary; }

Extent Integrals::function_count(ShellRange range) const {
  base::require(range.first + range.count <= basis().shells.size(), "the shells exist");
  Extent count = 0;
  for (std::size_t shell = range.first; shell < range.first + range.count; ++shell)
    count += basis().shells[shell].function_count;
  return count;
}

}  // namespace blockyard::qc
