// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "blockyard/base/integer.h"

// Elementwise super instructions. Blocks are dense, first index fastest. `first` holds, for each
// index of a block, the number of its first element in the whole orbital range, from 0.
namespace blockyard::qc {

using base::Extent;
using Extents = std::span<const Extent>;

/// check_dconf: the largest |x| of the block; 0 of an empty one.
[[nodiscard]] double largest_magnitude(std::span<const double> block);

/// return_diagonal_elements: zeroes all but the elements with p = q (order 2) or p = q and r = s
/// (order 4), numbers inside the block. Throws Error{bad_input} for another order.
void keep_diagonal(std::span<double> block, Extents extents);

/// return_diagonal: the sum of the elements of the diagonal (p = q; p = q and r = s) as orbitals of
/// the whole range. Zeroes the elements with p /= q (order 2), with p /= q and r /= s (order 4).
/// Throws Error{bad_input} for another order.
[[nodiscard]] double trace_of_diagonal(std::span<double> block, Extents extents, Extents first);

/// remove_diagonal: zeroes the elements with p = q, numbers inside the block. Order 2.
void remove_diagonal(std::span<double> block, Extents extents);

/// form_diagonal_unit_matrix: zero off the diagonal; on it, with exponent 0.5 or -0.5, that power
/// of a positive element; else 1. Order 2, a square. Throws Error{bad_input} for other extents.
void form_diagonal_unit_matrix(std::span<double> block, Extents extents, double exponent);

/// invert_diagonal: t = t / by where `by` is not 0; elsewhere t stays. Same shapes.
void divide_where_nonzero(std::span<double> t, std::span<const double> by);

/// Zeroes t(k,a,i,b,j) where a = b or i = j as orbitals of the whole range. Order 5.
void zero_equal_orbitals(std::span<double> t, Extents extents, Extents first);

/// anti_symm_o: t(a,j,b,i) = -t(a,i,b,j) for i < j, then t = 0 where i = j or a = b.
/// Order 4; the two occupied indexes must be of the same segment.
void antisymmetrise_occupied(std::span<double> t, Extents extents, Extents first);

/// anti_symm_v: t(b,i,a,j) = -t(a,i,b,j) for a < b, then t = 0 where i = j or a = b.
/// Order 4; the two virtual indexes must be of the same segment.
void antisymmetrise_virtual(std::span<double> t, Extents extents, Extents first);

/// stripi: out = the part of `in` at fixed values of some indexes:
///   out(i0,i1,...) = in(at[0] + i0, at[1] + i1, ...)
/// Throws Error{bad_input} if that part does not lie inside `in`.
void copy_part(std::span<const double> in, Extents in_extents, Extents at, std::span<double> out,
               Extents out_extents);

/// copy_overlap: copies the elements of `from` that stand for the same orbitals as elements of
/// `to`. from_first, to_first  as `first` above. Same orders; nothing happens without an overlap.
void copy_overlap(std::span<const double> from, Extents from_extents, Extents from_first,
                  std::span<double> to, Extents to_extents, Extents to_first);

/// cis_unit_guess: b(k,a,i) = 1 for the k-th smallest element (a,i) of `diagonal`, 0 elsewhere;
/// of equal elements the one that stands last in memory counts first.
/// b  vectors * diagonal.size() values, the vector number fastest.
void unit_guess(std::span<double> b, Extent vectors, std::span<const double> diagonal);

/// Which columns of the orbitals of one spin are correlated, and where the virtual ones begin.
struct ActiveColumns {
  Extent first = 0;          ///< after the frozen core
  Extent first_virtual = 0;  ///< and of those after the occupied ones
};

/// combine_spins: the columns of two matrices of orbitals, `rows` values each, first index fastest,
/// in the order occupied alpha, occupied beta, virtual alpha, virtual beta, without frozen ones.
/// Throws Error{bad_input} unless `both` has room for exactly these.
void combine_columns(std::span<const double> alpha, const ActiveColumns& alpha_columns,
                     std::span<const double> beta, const ActiveColumns& beta_columns, Extent rows,
                     std::span<double> both);

}  // namespace blockyard::qc
