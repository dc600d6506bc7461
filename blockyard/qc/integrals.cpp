// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/integrals.h"

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
  for (const auto& atom : molecule.atoms)
    charges.emplace_back(atom.atomic_number, atom.position_bohr);
  return charges;
}

}  // namespace

libint2::Engine Integrals::Data::make_engine(libint2::Operator kind) const {
  libint2::Engine engine(kind, most_primitives, highest_momentum, 0);
  engine.set_precision(options.primitive_threshold);
  if (kind == libint2::Operator::nuclear) engine.set_params(charges);
  return engine;
}

void Integrals::Data::add_pairs() {
  const double ln_threshold = std::log(options.primitive_threshold);
  for (const auto& a : shells)
    for (const auto& b : shells) pairs.emplace_back(a, b, ln_threshold).primpairs.shrink_to_fit();
}

void Integrals::Data::add_bounds() {
  auto engine = make_engine(libint2::Operator::coulomb);
  const std::size_t count = shells.size();
  bounds.resize(count * count);
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      const auto& [sa, sb] = std::tie(shells[a], shells[b]);
      engine.compute2<libint2::Operator::coulomb, libint2::BraKet::xx_xx, 0>(
          sa, sb, sa, sb, &pair(a, b), &pair(a, b));
      double largest = 0.0;
      if (const double* values = engine.results()[0])
        for (std::size_t i = 0; i < sa.size() * sb.size(); ++i)
          largest = std::max(largest, std::abs(values[i * (sa.size() * sb.size() + 1)]));
      bounds[a * count + b] = bounds[b * count + a] = std::sqrt(largest);
    }
}

Integrals::Integrals(const Molecule& molecule, AoBasis basis, IntegralOptions options) {
  // Tables of libint2 that are the same for every molecule; made once, by whoever comes first.
  static const bool libint_is_ready = (libint2::initialize(), true);
  base::require(libint_is_ready, "libint2 starts");
  auto data = std::make_unique<Data>();
  data->options = options;
  data->charges = point_charges(molecule);
  for (const auto& shell : basis.shells) {
    data->shells.push_back(to_libint(shell, basis.spherical));
    data->most_primitives = std::max(data->most_primitives, shell.contraction.exponents.size());
    data->highest_momentum = std::max(data->highest_momentum, shell.contraction.angular_momentum);
  }
  data->basis = std::move(basis);
  data->add_pairs();
  data->add_bounds();
  data_ = std::move(data);
}

Integrals::~Integrals() = default;
Integrals::Integrals(Integrals&&) noexcept = default;
Integrals& Integrals::operator=(Integrals&&) noexcept = default;

const AoBasis& Integrals::basis() const noexcept { return data_->basis; }

Extent Integrals::function_count(ShellRange range) const {
  base::require(range.first + range.count <= basis().shells.size(), "the shells exist");
  Extent count = 0;
  for (std::size_t shell = range.first; shell < range.first + range.count; ++shell)
    count += basis().shells[shell].function_count;
  return count;
}

}  // namespace blockyard::qc
