/* SPDX-License-Identifier: Apache-2.0 */
/* Transfers between nodes, where there are several: run it also with BLOCKYARD_GA_NODES. */
#include <malloc.h>
#include <string.h>

#include "check.h"

enum { side = 700, mutexes = 5 };

/* What a neighbour holds can be read in place, as if it were own memory. */
static void check_neighbour(void) {
  int dims[1] = {10 * GA_Nnodes()}, g = NGA_Create(C_INT, 1, dims, "ranks", NULL), lo, hi, ld, *data;
  const int node = GA_Cluster_nodeid(), of = GA_Cluster_procid(node, GA_Cluster_nprocs(node) - 1);
  NGA_Distribution(g, GA_Nodeid(), &lo, &hi);
  NGA_Access(g, &lo, &hi, &data, &ld);
  for (int i = lo; i <= hi; ++i) data[i - lo] = i;
  NGA_Release_update(g, &lo, &hi);
  GA_Sync();
  NGA_Distribution(g, of, &lo, &hi);
  NGA_Access(g, &lo, &hi, &data, &ld);
  for (int i = lo; i <= hi; ++i) CHECK(data[i - lo] == i);
  NGA_Release(g, &lo, &hi);
  GA_Sync();
  GA_Destroy(g);
}

static void check_cluster(void) {
  int nodes = GA_Cluster_nnodes(), me = GA_Nodeid(), all = 0;
  const char* wish = getenv("BLOCKYARD_GA_NODES");
  int wanted = wish ? atoi(wish) : 1;
  if (wanted > GA_Nnodes()) wanted = GA_Nnodes();
  CHECK(nodes == wanted);
  CHECK(GA_Cluster_nodeid() == GA_Cluster_proc_nodeid(me));
  for (int node = 0; node < nodes; ++node) {
    CHECK(GA_Cluster_nprocs(node) > 0);
    for (int i = 0; i < GA_Cluster_nprocs(node); ++i, ++all)
      CHECK(GA_Cluster_proc_nodeid(GA_Cluster_procid(node, i)) == node);
  }
  CHECK(all == GA_Nnodes());
}

/* Each process puts, adds to and gets patches of 4 MB, of rows and of columns, at all the others. */
static void check_long_patches(void) {
  int dims[2] = {side, side}, me = GA_Nodeid(), size = GA_Nnodes();
  int g = NGA_Create(C_DBL, 2, dims, "long", NULL);
  double *sent = malloc(sizeof(double) * side * side), *found = malloc(sizeof(double) * side * side);
  double two = 2.0;
  for (int i = 0; i < side * side; ++i) sent[i] = i;
  GA_Zero(g);
  for (int turn = 0; turn < size; ++turn) {
    if (turn == me) {
      int lo[2] = {turn, 0}, hi[2] = {side - 1, side - 1 - turn}, ld[1] = {side};
      ga_nbhdl_t handle;
      NGA_Put(g, lo, hi, sent, ld);
      NGA_Acc(g, lo, hi, sent, ld, &two);
      NGA_NbGet(g, lo, hi, found, ld, &handle);
      NGA_NbWait(&handle);
      for (int i = 0; i <= hi[0] - lo[0]; ++i)
        for (int j = 0; j <= hi[1]; ++j) CHECK(found[i * side + j] == 3 * sent[i * side + j]);
    }
    GA_Sync();
  }
  for (int column = me; column < side; column += size) {
    int lo[2] = {0, column}, hi[2] = {side - 1, column}, ld[1] = {1};
    for (int i = 0; i < side; ++i) sent[i] = i + 1000.0 * column;
    NGA_Put(g, lo, hi, sent, ld);
  }
  GA_Sync();
  for (int row = me; row < side; row += size) {
    int lo[2] = {row, 0}, hi[2] = {row, side - 1}, ld[1] = {side};
    NGA_Get(g, lo, hi, found, ld);
    for (int j = 0; j < side; ++j) CHECK(found[j] == row + 1000.0 * j);
  }
  GA_Destroy(g);
  free(sent);
  free(found);
}

/* A handle that is overwritten and never waited for costs no memory once its transfer is complete. */
static void check_handles_never_waited_for(void) {
  enum { rounds = 300, gets = 20, length = 8192 }; /* too long to have come when a call returns */
  const int from = GA_Nodeid() == GA_Nnodes() - 1 ? 0 : GA_Nnodes() - 1;
  int dims[1] = {length * GA_Nnodes()}, lo = length * from, hi = lo + length - 1, ld = 1;
  int g = NGA_Create(C_DBL, 1, dims, "got often", NULL);
  double *values = malloc(sizeof(double) * length), seven = 7;
  size_t used = 0;
  GA_Fill(g, &seven);
  for (int round = 0; round < rounds; ++round) {
    ga_nbhdl_t handle;
    for (int i = 0; i < gets; ++i) NGA_NbGet(g, &lo, &hi, values, &ld, &handle);
    NGA_NbWait(&handle);
    CHECK(values[0] == 7 && values[length - 1] == 7);
    if (round == rounds / 10) used = mallinfo2().uordblks;
  }
  CHECK(mallinfo2().uordblks < used + (1 << 20));
  GA_Destroy(g);
  free(values);
}

/* All add to elements of all, one by one and by lists, and count. */
static void check_lists(void) {
  enum { length = 20000 };
  int dims[1] = {length}, size = GA_Nnodes(), one = 1, few = 1, at = 0;
  int g = NGA_Create(C_INT, 1, dims, "list", NULL), counter = NGA_Create(C_LONG, 1, &few, "count", NULL);
  int *places = malloc(sizeof(int) * length), *values = malloc(sizeof(int) * length);
  long mine = 0;
  GA_Zero(g);
  GA_Zero(counter);
  for (int i = 0; i < length; ++i) places[i] = length - 1 - i, values[i] = i;
  NGA_Scatter_acc_flat(g, values, places, length, &one);
  GA_Sync();
  memset(values, 0, sizeof(int) * length);
  NGA_Gather_flat(g, values, places, length);
  for (int i = 0; i < length; ++i) CHECK(values[i] == size * i);
  for (int i = 0; i < 100; ++i) mine += NGA_Read_inc(counter, &at, 1);
  GA_Lgop(&mine, 1, "+");
  CHECK(mine == 100L * size * (100L * size - 1) / 2);
  GA_Destroy(g);
  GA_Destroy(counter);
  free(places);
  free(values);
}

/* Numbers under different mutexes: each is read, increased and written by all. */
static void check_mutexes(void) {
  int dims[1] = {mutexes}, size = GA_Nnodes(), ld = 1;
  int g = NGA_Create(C_DBL, 1, dims, "guarded", NULL);
  double value;
  GA_Zero(g);
  CHECK(GA_Create_mutexes(mutexes));
  for (int i = 0; i < 10 * mutexes; ++i) {
    int at = i % mutexes;
    GA_Lock(at);
    NGA_Get(g, &at, &at, &value, &ld);
    value += 1;
    GA_Init_fence();
    NGA_Put(g, &at, &at, &value, &ld);
    GA_Fence();
    GA_Unlock(at);
  }
  GA_Sync();
  for (int at = 0; at < mutexes; ++at) {
    NGA_Get(g, &at, &at, &value, &ld);
    CHECK(value == 10.0 * size);
  }
  CHECK(GA_Destroy_mutexes());
  GA_Destroy(g);
}

/* A copy on each node: apart until they are merged. */
static void check_mirrored(void) {
  int dims[2] = {31, 17}, lo[2] = {0, 0}, hi[2] = {30, 16}, ld[1] = {17}, part[2] = {4, 9};
  int mirror = GA_Pgroup_get_mirror(), nodes = GA_Cluster_nnodes(), node = GA_Cluster_nodeid();
  int a = NGA_Create_config(C_DBL, 2, dims, "mirrored", NULL, mirror);
  int b = NGA_Create(C_DBL, 2, dims, "distributed", NULL);
  double mine = node + 1.0, sum = nodes * (nodes + 1) / 2.0, found[31 * 17];
  CHECK(GA_Is_mirrored(a) == (nodes > 1));
  CHECK(GA_Pgroup_nnodes(mirror) == GA_Cluster_nprocs(node));
  GA_Fill(a, &mine);
  NGA_Get(a, lo, hi, found, ld);
  for (int i = 0; i < 31 * 17; ++i) CHECK(found[i] == mine);
  CHECK(GA_Ddot(a, a) == 31 * 17 * mine * mine);
  GA_Copy(a, b); /* each owner reads its node's copy */
  NGA_Distribution(b, GA_Nodeid(), lo, hi);
  if (lo[0] <= hi[0] && lo[0] >= 0) {
    ld[0] = hi[1] - lo[1] + 1;
    NGA_Get(b, lo, hi, found, ld);
    CHECK(found[0] == mine);
  }
  GA_Zero(b);
  lo[0] = lo[1] = 2, hi[0] = part[0], hi[1] = part[1], ld[0] = 8;
  NGA_Merge_distr_patch(a, lo, hi, b, lo, hi);
  NGA_Get(b, lo, hi, found, ld);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 8; ++j) CHECK(found[8 * i + j] == sum);
  GA_Merge_mirrored(a);
  lo[0] = lo[1] = 0, hi[0] = 30, hi[1] = 16, ld[0] = 17;
  NGA_Get(a, lo, hi, found, ld);
  for (int i = 0; i < 31 * 17; ++i) CHECK(found[i] == sum);
  GA_Copy(b, a);
  NGA_Get(a, lo, hi, found, ld);
  CHECK(found[0] == 0.0 && found[2 * 17 + 2] == sum);
  GA_Destroy(a);
  GA_Destroy(b);
}

/* Groups across nodes: every second process, backwards; and both halves on their own. */
static void check_groups(void) {
  int me = GA_Nodeid(), size = GA_Nnodes(), list[64], count = 0, dims[1] = {97};
  for (int p = size - 1; p >= 0; --p)
    if (p % 2 == me % 2) list[count++] = p;
  int group = GA_Pgroup_create(list, count), sum = me, expected = 0;
  for (int i = 0; i < count; ++i) expected += list[i];
  GA_Pgroup_igop(group, &sum, 1, "+");
  CHECK(sum == expected);
  int g = NGA_Create_config(C_INT, 1, dims, "of a group", NULL, group);
  GA_Fill(g, &sum);
  for (int at = 0; at < 97; at += 32) {
    int ld = 1, value = 0;
    NGA_Get(g, &at, &at, &value, &ld);
    CHECK(value == expected);
  }
  char word[20000];
  memset(word, me == list[count - 1] ? 7 : 0, sizeof word); /* in order, the last one listed is the first */
  GA_Pgroup_brdcst(group, word, sizeof word, 0);
  CHECK(word[0] == 7 && word[sizeof word - 1] == 7);
  GA_Pgroup_sync(group);
  GA_Destroy(g);
  GA_Pgroup_destroy(group);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  GA_Initialize();
  check_cluster();
  check_neighbour();
  check_long_patches();
  check_handles_never_waited_for();
  check_lists();
  check_mutexes();
  check_mirrored();
  check_groups();
  GA_Terminate();
  /* Again on halves of the job, one of which has nothing to do. */
  int rank, size;
  MPI_Comm half;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  if (rank % 2 == 0) {
    CHECK(GA_Initialize_comm(half) == 0);
    check_cluster();
    check_lists();
    GA_Terminate();
  }
  MPI_Comm_free(&half);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("nodes: all is well\n");
  MPI_Finalize();
  return 0;
}
