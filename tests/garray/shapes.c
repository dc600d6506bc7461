/* SPDX-License-Identifier: Apache-2.0 */
/* Patches of as many elements and other shapes, transposed or not; copies between groups. */
#include "check.h"

enum { rows = 12, columns = 10 };

static int make(const char *name, int is_dealt, int group) {
  int dims[2] = {rows, columns}, block[2] = {5, 3}, g = GA_Create_handle();
  GA_Set_data(g, 2, dims, C_INT);
  GA_Set_array_name(g, (char *)name);
  GA_Set_pgroup(g, group);
  if (is_dealt) GA_Set_block_cyclic(g, block);
  CHECK(GA_Allocate(g) == 1);
  return g;
}

/* Element (i, j) is 100 i + j. Called by a group. */
static void number(int g, int group) {
  static int all[rows * columns];
  int lo[2] = {0, 0}, hi[2] = {rows - 1, columns - 1}, ld[1] = {columns};
  for (int i = 0; i < rows * columns; ++i) all[i] = 100 * (i / columns) + i % columns;
  if (GA_Pgroup_nodeid(group) == 0) NGA_Put(g, lo, hi, all, ld);
  GA_Pgroup_sync(group);
}

/* From 4 x 6 to 8 x 3, 3 x 8, 4 x 6 and to 24 in a row of a third array. */
static int from_lo[2] = {2, 3}, from_hi[2] = {5, 8};

static int expected(int k, int is_transposed) {
  const int i = is_transposed ? k % 4 : k / 6, j = is_transposed ? k / 4 : k % 6;
  return 100 * (from_lo[0] + i) + from_lo[1] + j;
}

static void check_copy(int a, int b, int lo0, int lo1, int extent0, int extent1, int group) {
  int lo[2] = {lo0, lo1}, hi[2] = {lo0 + extent0 - 1, lo1 + extent1 - 1}, ld[1] = {extent1}, found[24];
  for (int is_transposed = 0; is_transposed < 2; ++is_transposed) {
    for (int k = 0; k < 24; ++k) found[k] = -1;
    if (GA_Pgroup_nodeid(group) == 0) NGA_Put(b, lo, hi, found, ld);
    GA_Pgroup_sync(group);
    NGA_Copy_patch(is_transposed ? 't' : 'n', a, from_lo, from_hi, b, lo, hi);
    NGA_Get(b, lo, hi, found, ld);
    for (int k = 0; k < 24; ++k) CHECK(found[k] == expected(k, is_transposed));
    GA_Pgroup_sync(group);
  }
}

static void check_dot(int a, int b) {
  const int extents[3][2] = {{8, 3}, {3, 8}, {4, 6}};
  const char *flags = "ntT";
  for (int which = 0; which < 27; ++which) {
    const char ta = flags[which / 3 % 3], tb = flags[which % 3];
    const int *extent = extents[which / 9], is_transposed = (ta == 'n') != (tb == 'n');
    int lo[2] = {1, 2}, hi[2] = {lo[0] + extent[0] - 1, lo[1] + extent[1] - 1}, sum = 0;
    /* The second operand, transposed or not, is taken in the order of the first. */
    for (int k = 0; k < 24; ++k) {
      const int i = is_transposed ? k % extent[0] : k / extent[1];
      const int j = is_transposed ? k / extent[0] : k % extent[1];
      sum += expected(k, 0) * (100 * (lo[0] + i) + lo[1] + j);
    }
    CHECK(NGA_Idot_patch(a, ta, from_lo, from_hi, b, tb, lo, hi) == sum);
  }
}

/* Only the group that holds one of the arrays calls; the others go on. */
static void check_groups(int is_dealt) {
  const int me = GA_Nodeid(), count = GA_Nnodes(), first = count / 2;
  int list[64], world = make("of all", 0, -1);
  GA_Zero(world);
  for (int r = first; r < count; ++r) list[r - first] = r;
  const int group = GA_Pgroup_create(list, count - first);
  GA_Pgroup_create(list, 0); /* nobody is in it: the lower half of a single process */
  if (me >= first) {
    int part = make("of some", is_dealt, group);
    number(part, group);
    GA_Copy(part, world);
    check_copy(part, world, 2, 1, 8, 3, group);
    check_copy(part, world, 5, 2, 4, 6, group);
    check_copy(part, world, 5, 2, 6, 4, group);
    number(world, group);
    check_copy(world, part, 2, 1, 8, 3, group);
    check_copy(world, part, 5, 2, 4, 6, group);
    GA_Copy(world, part);
    GA_Destroy(part);
    GA_Pgroup_destroy(group);
  }
  GA_Sync();
  GA_Destroy(world);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  GA_Initialize();
  for (int dealt = 0; dealt < 4; ++dealt) {
    const int a = make("a", dealt & 1, -1), b = make("b", dealt >> 1, -1);
    number(a, -1);
    number(b, -1);
    check_dot(a, b);
    check_copy(a, b, 2, 1, 8, 3, -1);
    check_copy(a, b, 8, 2, 3, 8, -1);
    check_copy(a, b, 6, 0, 4, 6, -1);
    check_copy(a, b, 6, 0, 6, 4, -1);
    GA_Destroy(a);
    GA_Destroy(b);
  }
  check_groups(0);
  check_groups(1);
  if (GA_Nodeid() == 0) puts("all is well");
  GA_Terminate();
  MPI_Finalize();
  return 0;
}
