/* SPDX-License-Identifier: Apache-2.0 */
/* Fortran's types in C besides INTEGER; for typesf2c.h. */
#ifndef BLOCKYARD_TYPESF2C_OTHERS_H
#define BLOCKYARD_TYPESF2C_OTHERS_H

#define FATR

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
