/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of operations on whole matrices and transforms: more values of `kind` and `flags` of
 * blockyard_operation. A device that does not know one answers UNSUPPORTED when a plan is opened.
 * Plain C, as abi.h, which is all that it includes. docs/device_abi.md has the formulas.
 *
 * Matrices are operands of order 2, first index fastest, whose names mean nothing. Numbers that
 * belong to a result (pivots, reflectors, values) are written as elements of the same type to
 * `right`, of order 1; its last element is the `info` of LAPACK: 0, or k > 0 as the routine says.
 * Where a kind has no left operand, left is the result once more. */
#ifndef BLOCKYARD_DEVICE_ABI_KINDS_H
#define BLOCKYARD_DEVICE_ABI_KINDS_H

#include "blockyard/device/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum blockyard_whole_kind {
  /* op(left) X = alpha result, or with from_right X op(left) = alpha result; left is a triangle,
   * square; X takes the place of result. No right operand. */
  BLOCKYARD_SOLVE = 4,
  /* In place. LU with row exchanges: right has min(m, n) + 1 elements: rows counted from 1, info.
   * cholesky: of the triangle that `upper` says, the other one is neither read nor written; right
   * has 1 element: info. qr: right has min(m, n) + 1 elements: factors of the reflectors, 0. */
  BLOCKYARD_FACTOR = 5,
  /* result = op(Q) result, or with from_right result op(Q); left: the reflectors of a QR, one a
   * column; right: as many factors, read. */
  BLOCKYARD_REFLECT = 6,
  /* Eigenvalues, ascending, of the symmetric or Hermitian result, of which the triangle that
   * `upper` says is read; with vectors they take its place, else its contents are undefined. right
   * has n + 1 elements: values, info. singular: of left, m x n; right has min(m, n) + 1 elements:
   * values, descending, info; with vectors result is U, m x min(m, n), and left becomes the first
   * min(m, n) rows of V transposed (conjugated), leading extent min(m, n). general: of left, n x n,
   * which is overwritten; right has n + 1 elements, real ones 2 n + 1: values (real parts, then
   * imaginary ones), info; with vectors result holds the right eigenvectors, with left_vectors left
   * becomes the left ones, both n x n and as LAPACK's geev puts pairs of them. */
  BLOCKYARD_SPECTRUM = 7,
  /* result = the discrete Fourier transform of left over the indexes that right names (its extents
   * mean nothing); others are the batch; not normalised; the sign of the exponent is - , with
   * backward +. Names and order of left and result are the same. Complex elements: between complex
   * blocks. Real elements: one of left and result has an index of extent 2 named
   * blockyard_parts in front (real, imaginary), and extent n/2+1 where the other has n at the first
   * index of right. Or neither has: then the extents of right say which real transform each index
   * goes through, a number from
   * blockyard_first_real_transform on. result may be left. alpha, of which only the real part is
   * read, is a factor of the result; beta is not used. */
  BLOCKYARD_FFT = 8
} blockyard_whole_kind;

enum {
  blockyard_transposed = 4, /* op: transposed, together with conjugate_left conjugated too */
  blockyard_upper = 8,
  blockyard_unit = 16, /* the diagonal is one and is not read */
  blockyard_from_right = 32,
  blockyard_cholesky = 64,
  blockyard_qr = 128,
  blockyard_singular = 256,
  blockyard_vectors = 512,
  blockyard_backward = 1024,
  blockyard_general = 2048,
  blockyard_left_vectors = 4096
};

enum { blockyard_parts = -1 };

/* Real to real, not normalised, in the order and by the formulas of FFTW 3: half-complex forward
 * and backward, Hartley, cosine I, III, II, IV, sine I, III, II, IV. */
enum { blockyard_first_real_transform = 1, blockyard_last_real_transform = 11 };

#ifdef __cplusplus
}
#endif

#endif
