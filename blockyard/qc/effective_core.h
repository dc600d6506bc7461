// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace blockyard::qc {

/// One part of an effective core potential:
///   U(r) = sum over k of  coefficients[k] r^(powers[k] - 2) exp(-exponents[k] r^2)
/// in hartree, r in bohr.
struct RadialPotential {
  int angular_momentum = 0;
  std::vector<int> powers;
  std::vector<double> exponents;
  std::vector<double> coefficients;
  friend bool operator==(const RadialPotential&, const RadialPotential&) = default;
};

/// The potential that replaces the inner electrons of an atom:
///   U = U_L + sum over l < L of  sum over m |lm> (U_l - U_L) <lm|
/// parts[0] is U_L, the local one; the others are U_l - U_L, at most one for each l.
/// Source: Kahn, Baybutt, Truhlar, J. Chem. Phys. 65, 3826 (1976).
struct EffectiveCore {
  int electrons = 0;
  std::vector<RadialPotential> parts;
  friend bool operator==(const EffectiveCore&, const EffectiveCore&) = default;
};

}  // namespace blockyard::qc
