// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/wave_function.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "blockyard/base/error.h"
#include "blockyard/qc/linear_algebra.h"

namespace blockyard::qc {

namespace {

std::size_t at(Extent row, Extent column, Extent rows) {
  return static_cast<std::size_t>(row + column * rows);
}

}  // namespace

std::vector<double> mulliken_populations(const AoBasis& basis, std::size_t atoms,
                                         std::span<const double> density,
                                         std::span<const double> overlap) {
  const Extent n = basis.function_count;
  base::require(density.size() == at(0, n, n) && overlap.size() == density.size(),
                "a density and an overlap matrix of the basis");
  std::vector<double> populations(atoms);
  for (const Shell& shell : basis.shells)
    for (Extent mu = shell.first_function; mu < shell.first_function + shell.function_count; ++mu)
      populations[shell.atom] += std::inner_product(
          density.begin() + mu * n, density.begin() + (mu + 1) * n, overlap.begin() + mu * n, 0.0);
  return populations;
}

std::vector<double> orbital_energies(std::span<const double> coefficients,
                                     std::span<const double> fock, Extent functions) {
  const Extent n = functions;
  base::require(n > 0 && fock.size() == at(0, n, n) && coefficients.size() % at(0, 1, n) == 0,
                "a Fock matrix of the basis and whole orbitals");
  std::vector<double> energies;
  for (Extent p = 0; at(0, p, n) < coefficients.size(); ++p) {
    const double* c = coefficients.data() + at(0, p, n);
    double energy = 0;
    for (Extent mu = 0; mu < n; ++mu)
      energy += c[mu] * std::inner_product(c, c + n, fock.data() + at(0, mu, n), 0.0);
    energies.push_back(energy);
  }
  return energies;
}

SinglesDiagnostics singles_diagnostics(std::span<const double> t1, Extent virtuals,
                                       Extent occupied) {
  base::require(t1.size() == at(0, occupied, virtuals), "one amplitude for each excitation");
  if (t1.empty()) return {};
  const double square = std::inner_product(t1.begin(), t1.end(), t1.begin(), 0.0);
  std::vector<double> products(at(0, occupied, occupied));
  for (Extent i = 0; i < occupied; ++i)
    for (Extent j = 0; j < occupied; ++j)
      products[at(i, j, occupied)] =
          std::inner_product(t1.begin() + i * virtuals, t1.begin() + (i + 1) * virtuals,
                             t1.begin() + j * virtuals, 0.0);
  std::vector<double> squares(static_cast<std::size_t>(occupied));
  symmetric_eigenpairs(products, squares);
  return {std::sqrt(square / static_cast<double>(2 * occupied)),
          std::sqrt(std::max(0.0, squares.back()))};
}

}  // namespace blockyard::qc
