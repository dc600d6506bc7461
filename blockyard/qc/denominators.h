// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "blockyard/base/integer.h"

namespace blockyard::qc {

using base::Extent;

/// Divides amplitudes by their energy denominators:
///   t(a,i,b,j,...) = t(a,i,b,j,...) / ( sum of e(i), e(j), ...  -  sum of e(a), e(b), ...  + shift
///   )
/// the odd index places (first, third, fifth) are virtual, the even ones occupied.
/// t         dense, 2, 4 or 6 indexes, first index fastest
/// extents   of t
/// first     for each index: the orbital number of its first element, from 0
/// energies  of all orbitals, hartree
/// shift     hartree; the excitation energy in CIS(D), else 0
/// Cost: one division per value. Throws Error{bad_input} for another order or an orbital without
/// an energy.
/// Source: Szabo & Ostlund (1996), eq. 6.74 (second order); Head-Gordon et al., Chem. Phys. Lett.
/// 219, 21 (1994), eq. 13 (with the shift).
void divide_by_energies(std::span<double> t, std::span<const Extent> extents,
                        std::span<const Extent> first, std::span<const double> energies,
                        double shift = 0.0);

/// energy_numerator_rhf: the same product instead of the quotient, which undoes the division.
void multiply_by_energies(std::span<double> t, std::span<const Extent> extents,
                          std::span<const Extent> first, std::span<const double> energies);

}  // namespace blockyard::qc
