/* SPDX-License-Identifier: Apache-2.0 */
/* Fortran's types in C, where an INTEGER has 8 bytes. */
#ifndef BLOCKYARD_TYPESF2C_H
#define BLOCKYARD_TYPESF2C_H

typedef long Integer;

#include <typesf2c_others.h>

#endif
