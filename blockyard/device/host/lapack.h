// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>

/// The BLAS and LAPACK routines that implement the operations on whole matrices, one set for each
/// element type. Matrices are dense: the leading extent is the number of rows. Every function
/// returns what LAPACK says in `info` where it has one; a negative one of factors is
/// Error{internal}. The matrices of syevd, gesdd and geev are finite; the workspaces of the first
/// two fit (workspaces.h).
namespace blockyard::device::host {

template <class T>
using RealOf = decltype(std::real(T{}));

template <class T>
struct Lapack {
  /// op(t) x = alpha b (side 'L') or x op(t) = alpha b ('R'), x in place of b, m x n.
  static void trsm(char side, char uplo, char op, char diag, int m, int n, T alpha, const T* t,
                   T* b);
  /// pivots: min(m, n), rows counted from 1.
  static int getrf(int m, int n, T* a, int* pivots);
  static int potrf(char uplo, int n, T* a);
  static void geqrf(int m, int n, T* a, T* factors);
  /// c = op(Q) c or c op(Q); q has k columns.
  static void ormqr(char side, char op, int m, int n, int k, const T* q, const T* factors, T* c);
  static int syevd(bool has_vectors, char uplo, int n, T* a, RealOf<T>* values);
  /// u: m x k, vt: k x n, k = min(m, n); a is destroyed.
  static int gesdd(bool has_vectors, int m, int n, T* a, RealOf<T>* values, T* u, T* vt);
  /// values: n, real ones 2 n: real parts, then imaginary ones. left, right: n x n, or null where
  /// they are not wanted; a is destroyed.
  static int geev(int n, T* a, T* values, T* left, T* right);
};

}  // namespace blockyard::device::host
