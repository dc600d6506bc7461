/* SPDX-License-Identifier: Apache-2.0 */
/* What check_report.py counts: each process puts the whole of an array once, and gets a row. */
#include <mpi.h>

#include "check.h"

static double values[100 * 100];

/* TCGMSG's names of parts of a program, which Fortran calls. */
void evon_(void);
void evbgin_(const char* name, size_t length);
void evend_(const char* name, size_t length);

/* Every 37th element in one call, then each of 300 in a call of its own. */
static void one_by_one(int g) {
  int places[200][2], lo[2], ld[1] = {1};
  for (int i = 0; i < 200; ++i) {
    places[i][0] = 37 * i % 100;
    places[i][1] = i / 2;
  }
  NGA_Gather_flat(g, values, places[0], 200);
  for (int i = 0; i < 300; ++i) {
    lo[0] = i / 3;
    lo[1] = i % 100;
    NGA_Get(g, lo, lo, values, ld);
  }
}

int main(int argc, char** argv) {
  int dims[2] = {100, 100}, lo[2] = {0, 0}, hi[2] = {99, 99}, ld[1] = {100};
  MPI_Init(&argc, &argv);
  GA_Initialize();
  evon_();
  for (int round = 0; round < 2; ++round) {
    int g = NGA_Create(C_DBL, 2, dims, "<field>", NULL);
    if (round == 0) NGA_Put(g, lo, hi, values, ld);
    GA_Sync();
    if (round == 0) {
      evbgin_("one by one", 10);
      one_by_one(g);
      evend_("one by one", 10);
    }
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
