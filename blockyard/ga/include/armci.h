/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of Global Arrays include this header; there is nothing of ARMCI in this library. */
#ifndef BLOCKYARD_ARMCI_H
#define BLOCKYARD_ARMCI_H

#include <mpi.h>

#endif
