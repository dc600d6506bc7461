// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "blockyard/qc/ao_basis.h"

namespace blockyard::qc {

/// Points origin + i * spacing e_x + j * spacing e_y + k * spacing e_z, bohr.
struct Grid {
  Vector3 origin_bohr{};
  double spacing_bohr = 0;
  std::array<Extent, 3> points{};
};

/// A box around the molecule with this margin. Throws Error{bad_input} for more than 1e8 points.
[[nodiscard]] Grid grid_around(const Molecule& molecule, double spacing_bohr, double margin_bohr);

/// The format of Gaussian's cube files, the title in one line, with the values at the points of
///   sum over mu of  c[mu] chi_mu,  bohr^(-3/2)  (an orbital: n coefficients), or
///   sum over mu, nu of  D[mu,nu] chi_mu chi_nu,  bohr^-3  (a density: n * n, symmetric).
[[nodiscard]] std::string orbital_cube(const Molecule& molecule, const AoBasis& basis,
                                       std::span<const double> coefficients, const Grid& grid,
                                       std::string_view title);
[[nodiscard]] std::string density_cube(const Molecule& molecule, const AoBasis& basis,
                                       std::span<const double> density, const Grid& grid,
                                       std::string_view title);

}  // namespace blockyard::qc
