/* SPDX-License-Identifier: Apache-2.0 */
/* A patch that leaves its array: the job ends with what is wrong. With an argument a process dies. */
#include <ga.h>
#include <signal.h>

int main(int argc, char **argv) {
  int dims[2] = {512, 300}, lo[2] = {0, 0}, hi[2] = {0, 300}, ld[1] = {301};
  double buffer[301];
  MPI_Init(&argc, &argv);
  GA_Initialize();
  int g = NGA_Create(C_DBL, 2, dims, "fock", NULL);
  if (argc > 1 && GA_Nodeid() == GA_Nnodes() - 1) raise(SIGKILL);
  if (argc == 1 && GA_Nodeid() == GA_Nnodes() - 1) NGA_Get(g, lo, hi, buffer, ld);
  GA_Sync();
  GA_Terminate();
  MPI_Finalize();
  return 0;
}
