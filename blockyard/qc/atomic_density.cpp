// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/atomic_density.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
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

std::vector<double> atomic_density(const FreeAtom& atom,
                                   const std::vector<Contraction>& contractions, bool spherical) {
  const auto order = order_by_momentum(contractions);
  std::vector<Contraction> sorted;
  for (const std::size_t k : order) sorted.push_back(contractions[k]);
  const auto radial = detail::atomic_scf(atom, sorted);

  const Molecule alone{{{.atomic_number = atom.atomic_number}}, 0, 1};
  const auto basis = place_basis({"", {{atom.atomic_number, contractions}}}, alone, spherical);
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

namespace {

/// Atoms of one kind: their functions and effective core are the same, so is their density.
struct AtomKind {
  FreeAtom atom;
  std::vector<Contraction> contractions;
  std::vector<double> density;
};

const EffectiveCore* core_of(const AoBasis& basis, std::size_t atom) {
  const auto found = std::ranges::find(basis.cores, atom, &PlacedCore::atom);
  return found == basis.cores.end() ? nullptr : &found->core;
}

/// The density of a kind of atoms, from those computed before if it is there.
const std::vector<double>& density_of(const FreeAtom& atom, std::vector<Contraction> contractions,
                                      bool spherical, std::deque<AtomKind>& known) {
  for (const AtomKind& kind : known) {
    const bool has_same_core = atom.core == nullptr || kind.atom.core == nullptr
                                   ? atom.core == kind.atom.core
                                   : *atom.core == *kind.atom.core;
    if (kind.atom.atomic_number == atom.atomic_number && has_same_core &&
        kind.contractions == contractions)
      return kind.density;
  }
  auto density = atomic_density(atom, contractions, spherical);
  known.push_back({atom, std::move(contractions), std::move(density)});
  return known.back().density;
}

}  // namespace

std::vector<double> atomic_densities(const Molecule& molecule, const AoBasis& basis) {
  std::deque<AtomKind> known;
  const auto n = static_cast<std::size_t>(basis.function_count);
  std::vector<double> density(n * n, 0.0);
  for (std::size_t shell = 0; shell < basis.shells.size();) {
    const std::size_t number = basis.shells[shell].atom;
    const auto first = static_cast<std::size_t>(basis.shells[shell].first_function);
    std::vector<Contraction> contractions;
    for (; shell < basis.shells.size() && basis.shells[shell].atom == number; ++shell)
      contractions.push_back(basis.shells[shell].contraction);
    const Atom& atom = molecule.atoms[number];
    if (atom.is_ghost) continue;
    const auto& block = density_of({atom.atomic_number, core_of(basis, number)},
                                   std::move(contractions), basis.spherical, known);
    const auto size = static_cast<std::size_t>(std::llround(std::sqrt(block.size())));
    for (std::size_t j = 0; j < size; ++j)
      std::copy_n(block.begin() + static_cast<std::ptrdiff_t>(j * size), size,
                  density.begin() + static_cast<std::ptrdiff_t>(first + n * (first + j)));
  }
  return density;
}

}  // namespace blockyard::qc
