/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints of arrays of several types and layouts; what does not fit changes nothing. */
#include <blockyard_ga.h>
#include <mpi.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

static int made(int type, int ndim, int* dims, int* block, const char* name) {
  int g = GA_Create_handle();
  GA_Set_data(g, ndim, dims, type);
  GA_Set_array_name(g, (char*)name);
  if (block) GA_Set_block_cyclic(g, block);
  CHECK(GA_Allocate(g) != 0);
  GA_Zero(g);
  return g;
}

int main(int argc, char** argv) {
  char folder[] = "/tmp/ga_checkpoint_XXXXXX", file[200];
  int cube[3] = {20, 30, 10}, square[2] = {50, 40}, block[2] = {6, 7}, one[1] = {5};
  int lo[2] = {0, 0}, hi[2] = {49, 39}, ld[1] = {40}, handles[4], others[4];
  static int values[50 * 40], found[50 * 40];
  double seed = 1, same, first;
  MPI_Init(&argc, &argv);
  GA_Initialize();
  make_folder(folder);
  snprintf(file, sizeof file, "%s/run.h5", folder);

  handles[0] = made(C_DBL, 3, cube, NULL, "t2/amplitudes");
  handles[1] = made(C_INT, 2, square, block, "pairs");
  handles[2] = made(C_DCPL, 1, one, NULL, "t2/amplitudes");
  GA_Randomize(handles[0], &seed);
  for (int i = 0; i < 50 * 40; ++i) values[i] = 7 * i - 3;
  if (GA_Nodeid() == GA_Nnodes() - 1) NGA_Put(handles[1], lo, hi, values, ld);
  CHECK(blockyard_ga_save(file, handles, 3) == 0);
  first = GA_Ddot(handles[0], handles[0]);

  /* Other arrays, other layouts; an array of the same name as another one. */
  others[0] = made(C_DBL, 3, cube, NULL, "t2/amplitudes");
  others[1] = made(C_INT, 2, square, NULL, "pairs");
  CHECK(blockyard_ga_load(file, others, 2) == 0);
  same = GA_Ddot(handles[0], others[0]);
  CHECK(same > 0 && same == first);
  NGA_Get(others[1], lo, hi, found, ld);
  CHECK(memcmp(found, values, sizeof found) == 0);

  /* Nothing changes where one of them does not fit. */
  GA_Zero(others[0]);
  others[2] = made(C_LONG, 2, square, NULL, "pairs");
  {
    int wrong[2] = {others[0], others[2]};
    CHECK(blockyard_ga_load(file, wrong, 2) == 1);
    CHECK(GA_Ddot(others[0], others[0]) == 0);
    GA_Set_array_name(others[0], "no such name");
    CHECK(blockyard_ga_load(file, wrong, 1) == 1);
  }
  /* A name that is made for one of them is another one's own. */
  GA_Set_array_name(others[0], "pairs 2");
  handles[3] = made(C_INT, 1, one, NULL, "pairs");
  {
    int three[3] = {handles[1], handles[3], others[0]};
    CHECK(blockyard_ga_save(file, three, 3) == 0 && blockyard_ga_load(file, three, 3) == 0);
  }
  CHECK(blockyard_ga_save(file, handles, 3) == 0);
  /* A file that cannot be written: what was there stays. */
  CHECK(blockyard_ga_save("/nowhere/run.h5", handles, 1) == 1);
  CHECK(blockyard_ga_load(file, handles, 3) == 0);
  GA_Sync();
  if (GA_Nodeid() == 0) CHECK(unlink(file) == 0 && rmdir(folder) == 0);
  if (GA_Nodeid() == 0) printf("checkpoint: ok\n");
  GA_Terminate();
  MPI_Finalize();
  return 0;
}
