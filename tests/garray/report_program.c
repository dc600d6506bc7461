/* SPDX-License-Identifier: Apache-2.0 */
/* What check_report.py counts: each process puts the whole of an array once, and gets a row. */
#include <mpi.h>

#include "check.h"

static double values[100 * 100];

int main(int argc, char** argv) {
  int dims[2] = {100, 100}, lo[2] = {0, 0}, hi[2] = {99, 99}, ld[1] = {100};
  MPI_Init(&argc, &argv);
  GA_Initialize();
  for (int round = 0; round < 2; ++round) {
    int g = NGA_Create(C_DBL, 2, dims, "<field>", NULL);
    if (round == 0) NGA_Put(g, lo, hi, values, ld);
    GA_Sync();
    hi[0] = 0;
    NGA_Get(g, lo, hi, values, ld);
    hi[0] = 99;
    GA_Destroy(g);
  }
  int length = 5, at = 3;
  int counter = NGA_Create(C_LONG, 1, &length, "counter", NULL);
  GA_Zero(counter);
  for (int task = 0; task < 40; ++task) NGA_Read_inc(counter, &at, 1);
  GA_Sync();
  GA_Terminate(); /* the counter is not destroyed, and is in the report all the same */
  MPI_Finalize();
  return 0;
}
