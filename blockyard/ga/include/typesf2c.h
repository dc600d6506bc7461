/* SPDX-License-Identifier: Apache-2.0 */
/* Fortran's types in C, where an INTEGER has 4 bytes. */
#ifndef BLOCKYARD_TYPESF2C_H
#define BLOCKYARD_TYPESF2C_H

#define FATR

typedef int Integer;
typedef float Real;
typedef double DoublePrecision;
typedef Integer logical;
typedef Integer Logical;
typedef long intp;

typedef struct {
  Real real, imag;
} SingleComplex;

typedef struct {
  DoublePrecision real, imag;
} DoubleComplex;

#endif
