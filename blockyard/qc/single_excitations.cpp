// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/single_excitations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "blockyard/base/error.h"

namespace blockyard::qc {

namespace {

std::size_t at(Extent row, Extent column, Extent rows) {
  return static_cast<std::size_t>(row + column * rows);
}

/// C^T M C
std::vector<double> over_orbitals(std::span<const double> c, const std::vector<double>& m, Extent n,
                                  Extent orbitals) {
  std::vector<double> half(at(0, orbitals, n)), result(at(0, orbitals, orbitals));
  for (Extent q = 0; q < orbitals; ++q)
    for (Extent nu = 0; nu < n; ++nu)
      for (Extent mu = 0; mu < n; ++mu) half[at(mu, q, n)] += m[at(mu, nu, n)] * c[at(nu, q, n)];
  for (Extent q = 0; q < orbitals; ++q)
    for (Extent p = 0; p < orbitals; ++p)
      for (Extent mu = 0; mu < n; ++mu)
        result[at(p, q, orbitals)] += c[at(mu, p, n)] * half[at(mu, q, n)];
  return result;
}

}  // namespace

std::vector<Excitation> leading_excitations(std::span<const double> amplitudes, Extent virtuals,
                                            double least, std::size_t most) {
  std::vector<Excitation> found;
  for (std::size_t k = 0; k < amplitudes.size(); ++k)
    if (std::abs(amplitudes[k]) >= least)
      found.push_back(
          {static_cast<Extent>(k) / virtuals, static_cast<Extent>(k) % virtuals, amplitudes[k]});
  std::ranges::stable_sort(found, std::greater<>(),
                           [](const Excitation& one) { return std::abs(one.amplitude); });
  if (found.size() > most) found.resize(most);
  return found;
}

std::array<std::vector<double>, 3> orbital_dipoles(const Integrals& integrals,
                                                   std::span<const double> coefficients) {
  const Extent n = integrals.basis().function_count;
  base::require(n > 0 && coefficients.size() % static_cast<std::size_t>(n) == 0, "whole orbitals");
  const Extent orbitals = std::ssize(coefficients) / n;
  IntegralEngine engine(integrals);
  std::array<std::vector<double>, 3> result;
  std::vector<double> matrix(at(0, n, n));
  for (const Axis axis : {Axis::x, Axis::y, Axis::z}) {
    engine.dipole(axis, integrals.all_shells(), integrals.all_shells(), matrix);
    result[static_cast<std::size_t>(axis)] = over_orbitals(coefficients, matrix, n, orbitals);
  }
  return result;
}

Vector3 singlet_transition_dipole(std::span<const double> amplitudes, Extent virtuals,
                                  Extent first_occupied, Extent first_virtual,
                                  const std::array<std::vector<double>, 3>& dipoles,
                                  Extent orbitals) {
  Vector3 moment{};
  for (std::size_t k = 0; k < amplitudes.size(); ++k) {
    const Extent i = first_occupied + static_cast<Extent>(k) / virtuals;
    const Extent a = first_virtual + static_cast<Extent>(k) % virtuals;
    for (std::size_t axis = 0; axis < 3; ++axis)
      moment[axis] += std::numbers::sqrt2 * amplitudes[k] * dipoles[axis][at(i, a, orbitals)];
  }
  return moment;
}

void make_biorthogonal(std::vector<double> met, std::vector<Vector3>& moments) {
  constexpr double least = 1e-3;
  const std::size_t n = moments.size();
  base::require(met.size() == n * n, "a square of overlaps");
  const auto entry = [&](std::size_t row, std::size_t column) -> double& {
    return met[row + column * n];
  };
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t row = k + 1; row < n; ++row)
      if (std::abs(entry(row, k)) > std::abs(entry(pivot, k))) pivot = row;
    if (std::abs(entry(pivot, k)) < least)
      throw base::Error(
          base::Errc::bad_input,
          fmt::format(
              "oscillator strengths: excited state {} meets the left states by {:.1e} only, "
              "at least {} is needed. Either the left states are not the same ones: ask "
              "for more roots; or two states of one symmetry nearly coincide, and have no "
              "reliable moments: leave out oscillator_strengths for their energies",
              k + 1, std::abs(entry(pivot, k)), least));
    std::swap(moments[k], moments[pivot]);
    for (std::size_t column = 0; column < n; ++column)
      std::swap(entry(k, column), entry(pivot, column));
    const double scale = 1 / entry(k, k);
    for (std::size_t column = 0; column < n; ++column) entry(k, column) *= scale;
    for (double& part : moments[k]) part *= scale;
    for (std::size_t row = 0; row < n; ++row) {
      if (row == k) continue;
      const double factor = entry(row, k);
      for (std::size_t column = 0; column < n; ++column)
        entry(row, column) -= factor * entry(k, column);
      for (std::size_t axis = 0; axis < 3; ++axis) moments[row][axis] -= factor * moments[k][axis];
    }
  }
}

double oscillator_strength(double hartree, const Vector3& mu) {
  return 2.0 / 3.0 * hartree * (mu[0] * mu[0] + mu[1] * mu[1] + mu[2] * mu[2]);
}

}  // namespace blockyard::qc
