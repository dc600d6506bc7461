// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>

#include "blockyard/base/integer.h"

namespace blockyard::qc {

using base::Extent;

/// Which quadruples of AO segments a block of integrals stands for, by its images under the
/// symmetries (ab|cd) = (ba|cd) = (ab|dc) = (cd|ab) that the loops of the program leave out.
/// Named after the programs' compute_ubatch1, 2, 4, 6, 7, 8.
enum class FockBatch {
  all_different,  ///< 1 and 4: a < b, c < d, pairs differ
  equal_bra,      ///< 2: a = b, c < d
  single,         ///< 6: no images
  equal_bra_ket,  ///< 7: a = b, c = d, a < c
  bra_equals_ket  ///< 8: a = c, b = d, a < b; every image but the exchange of the pairs
};

/// Density and Fock matrix of both spins, n*n each, first index fastest, symmetric densities.
struct FockMatrices {
  Extent n = 0;
  std::array<std::span<const double>, 2> density;  // alpha, beta
  std::array<std::span<double>, 2> fock;           // alpha, beta
};

/// Adds the Coulomb and exchange parts of a block of integrals and of its images:
///   F_s(ab) += sum over c,d of [ (D_alpha + D_beta)(cd) (ab|cd) - D_s(cd) (ac|bd) ]
/// so that the sum over all batches of a molecule is the two-electron part of its Fock matrices.
/// integrals  (ab|cd), dense, first index fastest;  extents of a, b, c, d
/// first      the number of the first function of a, b, c, d, from 0
/// Cost: at most 20 multiplications and additions for each integral.
/// Source: Almlof, Faegri, Korsell, J. Comput. Chem. 3, 385 (1982).
void add_fock_batch(FockBatch batch, std::span<const double> integrals,
                    const std::array<Extent, 4>& extents, const std::array<Extent, 4>& first,
                    const FockMatrices& matrices);

}  // namespace blockyard::qc
