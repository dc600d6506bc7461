// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/atomic_density.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "blockyard/base/error.h"
#include "blockyard/qc/detail/atomic_scf.h"
#include "blockyard/qc/detail/solid_harmonics.h"

namespace blockyard::qc {
namespace {

/// Positions in `contractions`, those of s first, then of p, ...; the file's order inside each.
std::vector<std::size_t> order_by_momentum(const std::vector<Contraction>& contractions) {
  std::vector<std::size_t> order(contractions.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return contractions[a].angular_momentum < contractions[b].angular_momentum;
  });
  return order;
}

/// Puts  value * component_density  where shells `a` and `b` of the atom meet.
void add_shell_pair(double value, const std::vector<double>& component_density, const Shell& a,
                    const Shell& b, Extent n, std::vector<double>& density) {
  for (Extent j = 0; j < b.function_count; ++j)
    for (Extent i = 0; i < a.function_count; ++i)
      density[static_cast<std::size_t>(a.first_function + i + n * (b.first_function + j))] +=
          value * component_density[static_cast<std::size_t>(i + a.function_count * j)];
}

}  // namespace

std::array<int, 4> atomic_configuration(int atomic_number) {
  if (atomic_number < 1 || atomic_number > 36)
    throw base::Error(base::Errc::bad_input, "atomic densities are known from H to Kr only");
  // Aufbau order; the exceptions Cr and Cu have one electron of 4s in 3d.
  constexpr std::array<std::pair<std::size_t, int>, 8> filling = {
      {{0, 2}, {0, 2}, {1, 6}, {0, 2}, {1, 6}, {0, 2}, {2, 10}, {1, 6}}};
  std::array<int, 4> electrons{};
  int left = atomic_number;
  for (const auto& [l, places] : filling) {
    const int taken = std::min(left, places);
    electrons[l] += taken;
    left -= taken;
  }
  if (atomic_number == 24 || atomic_number == 29) {
    --electrons[0];
    ++electrons[2];
  }
  return electrons;
}

std::vector<double> atomic_density(int atomic_number, const std::vector<Contraction>& contractions,
                                   bool spherical) {
  const auto order = order_by_momentum(contractions);
  std::vector<Contraction> sorted;
  for (const std::size_t k : order) sorted.push_back(contractions[k]);
  const auto radial = detail::atomic_scf(atomic_number, sorted);

  const Molecule atom{{{atomic_number, {}}}, 0, 1};
  const auto basis = place_basis({"", {{atomic_number, contractions}}}, atom, spherical);
  const Extent n = basis.function_count;
  std::vector<double> density(static_cast<std::size_t>(n * n), 0.0);
  std::size_t first = 0;  // of the shells of l in `order`
  for (std::size_t l = 0; l < radial.size(); ++l) {
    const auto count = static_cast<std::size_t>(std::llround(std::sqrt(radial[l].size())));
    const auto components = detail::component_density(static_cast<int>(l), spherical);
    for (std::size_t j = 0; j < count; ++j)
      for (std::size_t i = 0; i < count; ++i)
        add_shell_pair(radial[l][i + count * j], components, basis.shells[order[first + i]],
                       basis.shells[order[first + j]], n, density);
    first += count;
  }
  return density;
}

std::vector<double> atomic_densities(const Molecule& molecule, const AoBasis& basis) {
  std::map<int, std::vector<double>> of_element;
  const auto n = static_cast<std::size_t>(basis.function_count);
  std::vector<double> density(n * n, 0.0);
  for (std::size_t shell = 0; shell < basis.shells.size();) {
    const std::size_t atom = basis.shells[shell].atom;
    const auto first = static_cast<std::size_t>(basis.shells[shell].first_function);
    std::vector<Contraction> contractions;
    for (; shell < basis.shells.size() && basis.shells[shell].atom == atom; ++shell)
      contractions.push_back(basis.shells[shell].contraction);
    const int element = molecule.atoms[atom].atomic_number;
    if (!of_element.contains(element))
      of_element[element] = atomic_density(element, contractions, basis.spherical);
    const auto& block = of_element[element];
    const auto size = static_cast<std::size_t>(std::llround(std::sqrt(block.size())));
    for (std::size_t j = 0; j < size; ++j)
      std::copy_n(block.begin() + static_cast<std::ptrdiff_t>(j * size), size,
                  density.begin() + static_cast<std::ptrdiff_t>(first + n * (first + j)));
  }
  return density;
}

}  // namespace blockyard::qc
