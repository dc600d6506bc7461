/* SPDX-License-Identifier: Apache-2.0 */
/* A process that does not come to a sync: rank 0 says so after BLOCKYARD_GA_PATIENCE seconds. */
#include <mpi.h>

#include "check.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  GA_Initialize();
  if (GA_Nodeid() == 1) {
    double begun = MPI_Wtime();
    while (MPI_Wtime() < begun + 1.0) continue;
  }
  GA_Sync();
  GA_Terminate();
  MPI_Finalize();
  return 0;
}
