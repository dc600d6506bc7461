/* SPDX-License-Identifier: Apache-2.0 */
/* Stands for MPI where a program is one process: just what ga.h names. */
#ifndef BLOCKYARD_GA_ABSENT_MPI_H
#define BLOCKYARD_GA_ABSENT_MPI_H

typedef int MPI_Comm;
#define MPI_COMM_WORLD 0

#endif
