// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/cube.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <numbers>
#include <numeric>

#include "blockyard/base/error.h"
#include "blockyard/qc/detail/words.h"

namespace blockyard::qc {

namespace {

constexpr int most_momentum = 8;
using Harmonics = std::array<std::array<double, 2 * most_momentum + 1>, most_momentum + 1>;

double odd_product(int n) { return n < 2 ? 1.0 : n * odd_product(n - 2); }

/// result[l][m + l] = sqrt(4 pi / (2 l + 1)) r^l Y_lm, real. Source: Helgaker, Jorgensen, Olsen,
/// Molecular Electronic-Structure Theory (2000), eqs. 6.4.70 to 6.4.73.
Harmonics solid_harmonics(const Vector3& d, int highest) {
  const auto [x, y, z] = d;
  const double square = x * x + y * y + z * z;
  Harmonics s{};
  const auto at = [&s](int l, int m) -> double& {
    return s[static_cast<std::size_t>(l)][static_cast<std::size_t>(m + l)];
  };
  at(0, 0) = 1;
  for (int l = 0; l < highest; ++l) {
    const double edge = std::sqrt((l == 0 ? 2.0 : 1.0) * (2 * l + 1) / (2 * l + 2));
    const double below = l == 0 ? 0 : at(l, -l);
    at(l + 1, l + 1) = edge * (x * at(l, l) - y * below);
    at(l + 1, -l - 1) = edge * (y * at(l, l) + x * below);
    for (int m = -l; m <= l; ++m) {
      const double lower =
          l > std::abs(m) ? std::sqrt((l + m) * (l - m)) * square * at(l - 1, m) : 0;
      at(l + 1, m) = ((2 * l + 1) * z * at(l, m) - lower) / std::sqrt((l + m + 1) * (l - m + 1));
    }
  }
  return s;
}

/// What gives r^l exp(-a r^2) norm 1: (integral of r^(2 l + 2) exp(-2 a r^2))^(-1/2).
double radial_factor(int l, double a) {
  return 1 / std::sqrt(odd_product(2 * l + 1) * std::sqrt(std::numbers::pi) /
                       (std::exp2(l + 2) * std::pow(2 * a, l + 1.5)));
}

/// The norm of our contractions: those of a file need not have norm 1.
double contraction_norm(const Contraction& c) {
  double square = 0;
  for (std::size_t p = 0; p < c.exponents.size(); ++p)
    for (std::size_t q = 0; q < c.exponents.size(); ++q) {
      const double a = c.exponents[p], b = c.exponents[q];
      square += c.coefficients[p] * c.coefficients[q] *
                std::pow(2 * std::sqrt(a * b) / (a + b), c.angular_momentum + 1.5);
    }
  return std::sqrt(square);
}

/// The basis with all that does not depend on the point in its coefficients: norms of primitives
/// and contractions, and the factor that gives the solid harmonics, and x^l, norm 1 on the sphere.
AoBasis scaled(AoBasis basis) {
  for (Shell& shell : basis.shells) {
    Contraction& c = shell.contraction;
    const int l = c.angular_momentum;
    base::require(l <= most_momentum, "shells up to l = 8");
    const double factor = std::sqrt((2 * l + 1) / (4 * std::numbers::pi)) / contraction_norm(c);
    for (std::size_t p = 0; p < c.exponents.size(); ++p)
      c.coefficients[p] *= factor * radial_factor(l, c.exponents[p]);
  }
  return basis;
}

double radial_value(const Contraction& scaled, double square) {
  double value = 0;
  for (std::size_t p = 0; p < scaled.exponents.size(); ++p)
    if (const double x = scaled.exponents[p] * square; x <= 80)
      value += scaled.coefficients[p] * std::exp(-x);
  return value;
}

void shell_values(const Shell& scaled, bool spherical, const Vector3& point, double* values) {
  Vector3 d{};
  for (std::size_t axis = 0; axis < 3; ++axis) d[axis] = point[axis] - scaled.center_bohr[axis];
  const int l = scaled.contraction.angular_momentum;
  const double radial = radial_value(scaled.contraction, d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  if (radial == 0) {
    std::fill_n(values, scaled.function_count, 0.0);
    return;
  }
  if (spherical && l > 1) {
    const Harmonics harmonics = solid_harmonics(d, l);
    for (int m = -l; m <= l; ++m)
      *values++ = radial * harmonics[static_cast<std::size_t>(l)][static_cast<std::size_t>(m + l)];
    return;
  }
  for (int x = l; x >= 0; --x)
    for (int y = l - x; y >= 0; --y)
      *values++ = radial * std::pow(d[0], x) * std::pow(d[1], y) * std::pow(d[2], l - x - y);
}

/// values[mu] = chi_mu(point), bohr^(-3/2).
void function_values(const AoBasis& scaled, const Vector3& point, std::span<double> values) {
  for (const Shell& shell : scaled.shells)
    shell_values(shell, scaled.spherical, point, values.data() + shell.first_function);
}

std::string head_of(const Molecule& molecule, const Grid& grid, std::string_view title) {
  std::string text = fmt::format("{}\nblockyard, atomic units\n", detail::one_line(title));
  text += fmt::format("{:>5} {:>12.6f} {:>12.6f} {:>12.6f}\n", molecule.atoms.size(),
                      grid.origin_bohr[0], grid.origin_bohr[1], grid.origin_bohr[2]);
  for (std::size_t axis = 0; axis < 3; ++axis)
    text += fmt::format("{:>5} {:>12.6f} {:>12.6f} {:>12.6f}\n", grid.points[axis],
                        axis == 0 ? grid.spacing_bohr : 0, axis == 1 ? grid.spacing_bohr : 0,
                        axis == 2 ? grid.spacing_bohr : 0);
  for (const Atom& atom : molecule.atoms)
    text += fmt::format("{:>5} {:>12.6f} {:>12.6f} {:>12.6f} {:>12.6f}\n",
                        atom.is_ghost ? 0 : atom.atomic_number, static_cast<double>(atom.charge()),
                        atom.position_bohr[0], atom.position_bohr[1], atom.position_bohr[2]);
  return text;
}

/// The values of `at`, which gets those of the functions, z fastest; six on a line.
std::string cube(const Molecule& molecule, const AoBasis& basis, const Grid& grid,
                 std::string_view title, const std::function<double(std::span<const double>)>& at) {
  std::string text = head_of(molecule, grid, title);
  const AoBasis functions = scaled(basis);
  std::vector<double> values(static_cast<std::size_t>(basis.function_count));
  for (Extent i = 0; i < grid.points[0]; ++i)
    for (Extent j = 0; j < grid.points[1]; ++j) {
      for (Extent k = 0; k < grid.points[2]; ++k) {
        const std::array<Extent, 3> place = {i, j, k};
        Vector3 point{};
        for (std::size_t axis = 0; axis < 3; ++axis)
          point[axis] =
              grid.origin_bohr[axis] + grid.spacing_bohr * static_cast<double>(place[axis]);
        function_values(functions, point, values);
        fmt::format_to(std::back_inserter(text), " {:>12.5e}{}", at(values),
                       k % 6 == 5 && k + 1 < grid.points[2] ? "\n" : "");
      }
      text += '\n';
    }
  return text;
}

}  // namespace

Grid grid_around(const Molecule& molecule, double spacing_bohr, double margin_bohr) {
  constexpr double most_points = 1e8;
  Grid grid{{}, spacing_bohr, {}};
  double points = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double least = molecule.atoms.at(0).position_bohr[axis], most = least;
    for (const Atom& atom : molecule.atoms) {
      least = std::min(least, atom.position_bohr[axis]);
      most = std::max(most, atom.position_bohr[axis]);
    }
    const double count = std::ceil((most - least + 2 * margin_bohr) / spacing_bohr) + 1;
    points *= count;
    if (points > most_points)
      throw base::Error(base::Errc::bad_input,
                        "a cube of more than 1e8 points: take a larger spacing");
    grid.origin_bohr[axis] = (least + most) / 2 - (count - 1) * spacing_bohr / 2;
    grid.points[axis] = static_cast<Extent>(count);
  }
  return grid;
}

std::string orbital_cube(const Molecule& molecule, const AoBasis& basis,
                         std::span<const double> coefficients, const Grid& grid,
                         std::string_view title) {
  base::require(std::ssize(coefficients) == basis.function_count, "a coefficient of each function");
  return cube(molecule, basis, grid, title, [&](std::span<const double> values) {
    return std::inner_product(values.begin(), values.end(), coefficients.begin(), 0.0);
  });
}

std::string density_cube(const Molecule& molecule, const AoBasis& basis,
                         std::span<const double> density, const Grid& grid,
                         std::string_view title) {
  const auto n = static_cast<std::size_t>(basis.function_count);
  base::require(density.size() == n * n, "a density matrix of the basis");
  return cube(molecule, basis, grid, title, [&](std::span<const double> values) {
    double sum = 0;
    for (std::size_t nu = 0; nu < n; ++nu) {
      if (std::abs(values[nu]) < 1e-12) continue;
      sum += values[nu] * std::inner_product(values.begin(), values.end(),
                                             density.begin() + static_cast<std::ptrdiff_t>(nu * n),
                                             0.0);
    }
    return sum;
  });
}

}  // namespace blockyard::qc
