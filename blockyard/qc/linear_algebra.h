// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "blockyard/base/integer.h"

namespace blockyard::qc {

using base::Extent;

/// Eigenpairs of a symmetric matrix:  matrix * v_k = values[k] * v_k, values ascending.
/// matrix   n*n values; the upper triangle is read. Overwritten with the eigenvectors in columns,
///          of norm 1, each with its first component beyond 1e-6 positive.
/// values   n values
/// Cost: about 9 n^3 flops. Throws Error{bad_input} for a NaN, Error{internal} if LAPACK fails.
/// Source: LAPACK dsyev.
void symmetric_eigenpairs(std::span<double> matrix, std::span<double> values);

/// eigen_calc: on return `a` is diag(eigenvalues, ascending) and `b` the eigenvectors in columns
/// (signs as in symmetric_eigenpairs). Both n*n.
void eigen_calc(std::span<double> a, std::span<double> b);

/// eigen_calc_sqr_inv: as eigen_calc, but `a` is diag(1 / sqrt(eigenvalue)), so that
/// b a b^T = A^(-1/2). Pairs with an eigenvalue below `tolerance` become zero and come last.
/// Returns how many they are.
/// Source: canonical orthogonalisation, Szabo & Ostlund (1996), eq. 3.169.
Extent eigen_calc_sqr_inv(std::span<double> a, std::span<double> b, double tolerance);

/// compute_diis: coefficients c that make  sum over i,j of  c_i c_j B_ij  least with  sum c_i = 1.
/// b   n*n, the products e_i . e_j of error vectors, upper triangle read. Its leading rows that are
///     not wholly zero count. On return B_ii = c_i (0 for the rest); off-diagonals unchanged.
/// While the vectors are nearly dependent, the first one is left out (its c_i is 0).
/// Throws Error{bad_input} without a vector.
/// Source: P. Pulay, J. Comput. Chem. 3, 556 (1982), eq. 6.
void compute_diis(std::span<double> b);

/// gen_eigen_calc: eigenpairs of a general real matrix,  A r = r w,  l^T A = w l^T.
/// a       n*n, destroyed
/// left, right  n*n, vectors in columns, in the order of the values, of norm 1 as LAPACK gives them
///         (of a complex pair: real part, then imaginary part)
/// values  n, real parts ascending; those of modulus below 1e-12 come last and are set to 0
/// Source: LAPACK dgeev.
void gen_eigen_calc(std::span<double> a, std::span<double> left, std::span<double> right,
                    std::span<double> values);

}  // namespace blockyard::qc
