// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>

#include "blockyard/base/integer.h"

// Small steps of the SCF programs of the literature: occupations, damping, frozen columns.
namespace blockyard::qc {

using base::Extent;

/// a4_get_init_occupation: 1 for the first `electrons` orbitals; the rest stays.
/// Throws Error{bad_input} if there are fewer orbitals than electrons of that spin.
void occupy_lowest(std::span<double> occupations, Extent electrons);

/// a4_return_occupation: occupies, for each column of `overlaps`, the row where it is largest.
/// overlaps     rows * columns, first index fastest: all new orbitals with the old occupied ones
/// occupations  one for each row; only ones are written
/// Source: maximum overlap, Gilbert, Besley, Gill, J. Phys. Chem. A 112, 13164 (2008).
void occupy_most_alike(std::span<const double> overlaps, Extent rows,
                       std::span<double> occupations);

/// a4_dscale: multiplies column k of the block by occupations[first + k].
/// block  rows * columns, first index fastest
void scale_columns(std::span<double> block, Extent rows, std::span<const double> occupations,
                   Extent first);

/// drop_core_in_sip: zeroes the first `count` columns of a matrix with that many rows.
void zero_columns(std::span<double> matrix, Extent rows, Extent count);

/// The change of the energy from one iteration to the next, hartree.
struct EnergyChange {
  double last = 0.0;
  double previous = 0.0;
  double average = 0.0;
};

/// a4_david_damp_factor: the next damping factor, at most 256.
/// Source: E. R. Davidson's dynamic damping, as in HONDO and GAMESS.
[[nodiscard]] double next_damping(const EnergyChange& change, double damping);

/// aoladder_contraction:  out(n,i,s,j) = sum over m,l of  v(m,n,l,s) t(m,i,l,j)
/// All dense, first index fastest; extents m n l s of v and i, j of t.
void contract_ladder(std::span<const double> v, const std::array<Extent, 4>& mnls,
                     std::span<const double> t, const std::array<Extent, 2>& ij,
                     std::span<double> out);

}  // namespace blockyard::qc
