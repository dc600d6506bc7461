// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "blockyard/qc/detail/libint_shell.h"
#include "blockyard/qc/effective_core.h"
#include "blockyard/qc/molecule.h"

namespace blockyard::qc::detail {

/// Integrals over the local part U_L of effective core potentials. Immutable. Any thread.
///
/// With a power of r they are overlaps of three Gaussians, after
///   1/r   = 2/sqrt(pi) int_0^inf exp(-u^2 r^2) du,
///   1/r^2 = 2 int_0^inf u exp(-u^2 r^2) du.
/// The integral over u becomes one over a finite range, in which the rest is a Gaussian times a
/// polynomial, and is done by Gauss-Legendre quadrature with a relative error below 1e-13.
class LocalCore {
 public:
  LocalCore();

  /// Adds  <a| U |b>, hartree, to `values`, which are those of the Cartesian components xx, xy, xz,
  /// yy, yz, zz of two shells without their norms, those of b fastest.
  /// centre of the potential: bohr. REQUIRES: powers of U from 0 to 4.
  void add(const RadialPotential& potential, const Vector3& center, const libint2::Shell& a,
           const libint2::Shell& b, std::span<double> values) const;

 private:
  std::vector<double> nodes_;  ///< in 0..1
  std::vector<double> weights_;
};

}  // namespace blockyard::qc::detail
