// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>

#include "blockyard/base/integer.h"

namespace blockyard::qc {

using base::Extent;

/// The ingredients of the perturbative triples of three occupied orbitals i, j, k. Virtual orbitals
/// count from 0 at the lowest one.
struct OrbitalTriple {
  Extent virtual_count = 0;
  double occupied_energy = 0.0;                       ///< e_i + e_j + e_k, hartree
  std::array<std::span<const double>, 3> amplitudes;  ///< t_ai, t_aj, t_ak, all virtual a
  std::array<std::span<const double>, 3> pairs;       ///< (bj|ck), (bi|ck), (bi|cj), b fastest
  std::span<const double> virtual_energies;           ///< hartree
};

/// One range of virtual orbitals.
struct VirtualRange {
  Extent first = 0;
  Extent count = 0;
  friend bool operator==(const VirtualRange&, const VirtualRange&) = default;
};

/// Sum over all sets {a, b, c} with a, b, c in three ranges, and over the six orders x, y, z of
/// each, of
///   [ 4 W_xyz + W_yzx + W_zxy - 2 W_yxz - 2 W_zyx - 2 W_xzy ] V_xyz / (e_i + e_j + e_k - e_a - e_b
///   - e_c), V_xyz = W_xyz + t_xi (yj|zk) + t_yj (xi|zk) + t_zk (xi|yj).
/// ranges  those of a, b, c: any two the same or disjoint; the same ones stand side by side
/// w       W in the orders abc, bca, cab, bac, cba, acb: dense, first index fastest. Of ranges that
/// are the
///         same several are the same block.
/// Cost: six values of W and some 70 operations for a set. Source: Rendell, Lee, Komornicki, Chem.
/// Phys. Lett. 178, 462 (1991), eqs. 3 to 8.
[[nodiscard]] double triples_energy(const OrbitalTriple& orbitals,
                                    const std::array<VirtualRange, 3>& ranges,
                                    const std::array<std::span<const double>, 6>& w);

}  // namespace blockyard::qc
