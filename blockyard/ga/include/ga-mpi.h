/* SPDX-License-Identifier: Apache-2.0 */
/* MPI communicators of groups: the caller may use them and must not free them. */
#ifndef BLOCKYARD_GA_MPI_H
#define BLOCKYARD_GA_MPI_H

/* Programs of C++ include this within extern "C"; some mpi.h have templates. */
#ifdef __cplusplus
extern "C++" {
#endif
#include <mpi.h>
#ifdef __cplusplus
}

extern "C" {
#endif

MPI_Comm GA_MPI_Comm(void);
MPI_Comm GA_MPI_Comm_pgroup(int pgroup);
MPI_Comm GA_MPI_Comm_pgroup_default(void);

#ifdef __cplusplus
}
#endif

#endif
