/* SPDX-License-Identifier: Apache-2.0 */
/* Mistakes that BLOCKYARD_GA_CHECK=1 finds, one for each argument; "none": what is right. Two processes. */
#include <string.h>

#include "check.h"

enum { rows = 8, columns = 10 };
static double values[rows * columns];
static int me, all_lo[2] = {0, 0}, all_hi[2] = {rows - 1, columns - 1}, ld[1] = {columns};
static double one = 1.0;

static int made(const char* name) {
  int dims[2] = {rows, columns}, width[2] = {1, 1};
  return strcmp(name, "ghosts") == 0 ? NGA_Create_ghosts(C_DBL, 2, dims, width, "a", NULL)
                                     : NGA_Create(C_DBL, 2, dims, "a", NULL);
}

static void own_box(int g, int* lo, int* hi) { NGA_Distribution(g, me, lo, hi); }

static void put(int g, int first, int last) {
  int lo[2] = {first, 0}, hi[2] = {last, columns - 1};
  NGA_Put(g, lo, hi, values, ld);
}

static void get(int g, int first, int last) {
  int lo[2] = {first, 2}, hi[2] = {last, 4};
  NGA_Get(g, lo, hi, values, ld);
}

static void in_place(int g, int is_written) {
  int lo[2], hi[2], stride[1];
  double* own;
  own_box(g, lo, hi);
  NGA_Access(g, lo, hi, &own, stride);
  if (is_written) {
    own[0] = 3;
    NGA_Release_update(g, lo, hi);
  } else {
    NGA_Release(g, lo, hi);
  }
}

/* Elements one by one: those of different processes, then those of all. */
static void lists(int g) {
  int own[4] = {2, 2 + me, 6, 8 - me}, all[6] = {2, 2, 2, 3, 6, 7};
  NGA_Scatter_flat(g, values, own, 2);
  GA_Sync();
  NGA_Gather_flat(g, values, all, 3);
  get(g, 2, 2);
  GA_Sync();
  NGA_Scatter_acc_flat(g, values, all, 3, &one);
  GA_Sync();
}

/* Every second row, from one on. */
static void put_strided(int g, int first) {
  int lo[2] = {first, 0}, hi[2] = {rows - 1, columns - 1}, skip[2] = {2, 1};
  NGA_Strided_put(g, lo, hi, skip, values, ld);
}

static void right(int g) {
  int counter_at[1] = {0}, length = 1, lo[2] = {0, 0}, hi[2] = {2, 2}, group[1] = {me};
  int counter = NGA_Create(C_LONG, 1, &length, "counter", NULL);
  GA_Zero(counter);
  put(g, 4 * me, 4 * me + 3); /* apart */
  GA_Sync();
  get(g, 0, 7);
  GA_Sync();
  NGA_Acc(g, all_lo, all_hi, values, ld, &one); /* adds may meet */
  NGA_Read_inc(counter, counter_at, 1);
  GA_Sync();
  GA_Lock(0);
  NGA_Get(g, lo, hi, values, ld);
  NGA_Put(g, lo, hi, values, ld);
  GA_Unlock(0);
  GA_Sync();
  if (me == 0) {
    put(g, 0, 1);
    GA_Fence();
  }
  GA_Brdcst(values, sizeof one, 0); /* after a fence this orders, too */
  if (me == 1) get(g, 0, 1);
  GA_Dgop(values, 1, "+");
  in_place(g, 1);
  GA_Pgroup_sync(-1);
  get(g, 0, 7);
  GA_Sync();
  lists(g);
  put_strided(g, me); /* between each other's rows */
  GA_Sync();
  GA_Pgroup_destroy(GA_Pgroup_create(group, 1));
  GA_Destroy(counter);
}

int main(int argc, char** argv) {
  const char* which = argc > 1 ? argv[1] : "none";
  MPI_Init(&argc, &argv);
  GA_Initialize();
  me = GA_Nodeid();
  GA_Create_mutexes(1);
  int g = made(which), other = 1 - me;
  if (strcmp(which, "unwritten") != 0) GA_Zero(g);
  if (strcmp(which, "put_put") == 0) put(g, 2 * me, 2 * me + 2);
  if (strcmp(which, "put_get") == 0) {
    if (me == 0)
      put(g, 1, 3);
    else
      get(g, 3, 6);
  }
  if (strcmp(which, "acc_get") == 0) {
    NGA_Acc(g, all_lo, all_hi, values, ld, &one);
    get(g, 5, 5);
  }
  if (strcmp(which, "acc_put") == 0) {
    if (me == 0) NGA_Acc(g, all_lo, all_hi, values, ld, &one);
    if (me == 1) put(g, 7, 7);
  }
  if (strcmp(which, "unfenced") == 0) {
    if (me == 0) put(g, 1, 1);
    GA_Brdcst(values, sizeof one, 0);
    if (me == 1) get(g, 1, 1);
  }
  if (strcmp(which, "written_in_place") == 0) {
    in_place(g, me == 0);
    if (me == 1) get(g, 0, 0);
  }
  if (strcmp(which, "read_in_place") == 0) {
    in_place(g, 0);
    if (me == 1) put(g, 0, 0);
  }
  if (strcmp(which, "unwritten") == 0) {
    if (me == 0) put(g, 0, 4);
    GA_Sync();
    if (me == 1) get(g, 4, 6);
  }
  if (strcmp(which, "ghosts") == 0) {
    double padded[12 * 12];
    int lo[2], hi[2], wide[1] = {12};
    GA_Update_ghosts(g);
    own_box(g, lo, hi);
    for (int d = 0; d < 2; ++d) {
      --lo[d];
      ++hi[d];
    }
    NGA_Get_ghost_block(g, lo, hi, padded, wide);
    GA_Sync();
    in_place(g, 1);
    GA_Sync();
    if (me == 1) NGA_Get_ghost_block(g, lo, hi, padded, wide);
    GA_Sync();
    GA_Update_ghosts(g);
    NGA_Get_ghost_block(g, lo, hi, padded, wide);
  }
  if (strcmp(which, "scatter") == 0) {
    int places[4] = {0, 3, 6, 6 + other};
    NGA_Scatter_flat(g, values, places, 2);
  }
  if (strcmp(which, "scatter_gather") == 0) {
    int places[6] = {2, 2, 2, 3, 5, 5}, others[4] = {7, 7, 2, 3};
    if (me == 0)
      NGA_Scatter_flat(g, values, places, 3);
    else
      NGA_Gather_flat(g, values, others, 2);
  }
  if (strcmp(which, "scatter_get") == 0) {
    int places[6] = {2, 2, 2, 3, 5, 9};
    if (me == 0) NGA_Scatter_flat(g, values, places, 3);
    if (me == 1) get(g, 2, 5);
  }
  if (strcmp(which, "strided") == 0) {
    if (me == 0) put_strided(g, 0);
    if (me == 1) get(g, 3, 4);
  }
  if (strcmp(which, "none") == 0) right(g);
  GA_Destroy_mutexes();
  if (strcmp(which, "left") != 0) GA_Destroy(g);
  GA_Terminate();
  MPI_Finalize();
  return 0;
}
