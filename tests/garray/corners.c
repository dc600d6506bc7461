/* SPDX-License-Identifier: Apache-2.0 */
/* Corners of the original library on which programs rely. */
#include <math.h>
#include <unistd.h>

#include "check.h"

enum { n = 12 };

static int make(const char *name) {
  int dims[2] = {n, n};
  return NGA_Create(C_DBL, 2, dims, (char *)name, NULL);
}

static double element(int g, int i, int j) {
  int at[2] = {i, j}, ld[1] = {1};
  double value = -1;
  NGA_Get(g, at, at, &value, ld);
  return value;
}

/* The collectives that use up a mask, though they have nothing to mask or little. */
static int original, other, group;
static void reduce(void) {
  double one = 1;
  GA_Dgop(&one, 1, "+");
}
static void broadcast(void) {
  double one = 1;
  GA_Brdcst(&one, sizeof one, 0);
}
static void create(void) { other = make("other"); }
static void destroy(void) { GA_Destroy(other); }
static void duplicate(void) { original = other, other = GA_Duplicate(original, "twin"); }
static void deallocate(void) { GA_Deallocate(other); }
static void allocate(void) { GA_Allocate(other); }
static void compare(void) { GA_Compare_distr(other, other); }
static void set_property(void) { GA_Set_property(other, "read_only"); }
static void unset_property(void) { GA_Unset_property(other); }
static void create_mutexes(void) { GA_Create_mutexes(1); }
static void destroy_mutexes(void) { GA_Destroy_mutexes(); }
static void set_default(void) { GA_Pgroup_set_default(group); }
static void set_world(void) { GA_Pgroup_set_default(-1); }
static void end_group(void) { GA_Pgroup_destroy(group); }

/* The last process comes late to a fill, which the others see completed nevertheless. */
static void check_mask_after(void (*collective)(void), int g) {
  static double value = 0;
  value += 1;
  GA_Mask_sync(0, 0);
  collective();
  if (GA_Nodeid() == GA_Nnodes() - 1) usleep(50000);
  GA_Fill(g, &value);
  for (int i = 0; i < n; ++i) CHECK(element(g, i, i) == value);
  GA_Sync();
}

/* A sync keeps the mask: process 0 leaves a fill before the last one comes to it. */
static void check_mask_after_sync(int g) {
  int dims[1] = {1}, at[1] = {0}, ld[1] = {1}, gone = 0;
  const int flag = NGA_Create(C_INT, 1, dims, "flag", NULL);
  double value = 7;
  GA_Zero(flag);
  GA_Mask_sync(0, 0);
  GA_Sync();
  if (GA_Nodeid() == GA_Nnodes() - 1 && GA_Nnodes() > 1)
    for (int tries = 0; tries < 1000 && gone == 0; ++tries) {
      usleep(10000);
      NGA_Get(flag, at, at, &gone, ld);
    }
  GA_Fill(g, &value);
  if (GA_Nodeid() == 0) {
    int one = 1;
    NGA_Put(flag, at, at, &one, ld);
    GA_Fence();
  }
  CHECK(gone == (GA_Nnodes() > 1 && GA_Nodeid() == GA_Nnodes() - 1));
  GA_Sync();
  GA_Destroy(flag);
}

static void check_masks(void) {
  void (*const all[])(void) = {reduce,         broadcast,      create,          compare,     set_property,
                               unset_property, duplicate,      deallocate,      allocate,    destroy,
                               create_mutexes, destroy_mutexes, set_default,    set_world,   end_group};
  const int g = make("filled"), count = GA_Nnodes();
  int list[64];
  for (int r = 0; r < count; ++r) list[r] = r;
  group = GA_Pgroup_create(list, count);
  for (size_t k = 0; k < sizeof all / sizeof *all; ++k) check_mask_after(all[k], g);
  check_mask_after_sync(g);
  GA_Destroy(original);
  GA_Destroy(g);
}

/* Of more than two axes the first two are symmetrized, for all values of the others. */
static void check_symmetrize(int is_dealt) {
  int dims[3] = {n, n, 3}, block[3] = {5, 4, 2}, lo[3] = {0}, hi[3] = {n - 1, n - 1, 2}, ld[2] = {n, 3};
  static double values[n][n][3];
  const int g = GA_Create_handle();
  GA_Set_data(g, 3, dims, C_DBL);
  if (is_dealt) GA_Set_block_cyclic(g, block);
  CHECK(GA_Allocate(g) == 1);
  for (int k = 0; k < 3 * n * n; ++k) values[k / 3 / n][k / 3 % n][k % 3] = k;
  if (GA_Nodeid() == 0) NGA_Put(g, lo, hi, values, ld);
  GA_Sync();
  GA_Symmetrize(g);
  NGA_Get(g, lo, hi, values, ld);
  for (int k = 0; k < 3 * n * n; ++k) {
    const int i = k / 3 / n, j = k / 3 % n;
    CHECK(values[i][j][k % 3] == 3 * (n + 1) * (i + j) / 2.0 + k % 3);
  }
  GA_Sync();
  GA_Destroy(g);
}

/* Patches without elements, before the first element and after the last one. */
static void check_empty_patches(int a, int b) {
  double one = 1, two = 2;
  for (int first = 0; first <= n; first += n) {
    int lo[2] = {first, 2}, hi[2] = {first - 1, 5};
    NGA_Zero_patch(a, lo, hi);
    NGA_Fill_patch(a, lo, hi, &two);
    NGA_Scale_patch(a, lo, hi, &two);
    NGA_Copy_patch('n', a, lo, hi, b, lo, hi);
    NGA_Add_patch(&one, a, lo, hi, &two, b, lo, hi, a, lo, hi);
    GA_Elem_multiply_patch(a, lo, hi, b, lo, hi, a, lo, hi);
    CHECK(NGA_Ddot_patch(a, 'n', lo, hi, b, 'n', lo, hi) == 0);
  }
  CHECK(GA_Ddot(a, a) == n * n);
}

/* Of products without anything to sum up beta remains. */
static void check_empty_products(int a, int b) {
  int lo[2] = {0, 0}, a_hi[2] = {3, -1}, b_hi[2] = {-1, 5}, c_hi[2] = {3, 5};
  double one = 1, three = 3;
  GA_Dgemm('n', 'n', n, n, 0, 1, b, b, 2, a);
  CHECK(GA_Ddot(a, a) == 4 * n * n);
  GA_Dgemm('n', 't', 0, n, n, 1, b, b, 0, a);
  GA_Dgemm('t', 'n', n, 0, n, 1, b, b, 0, a);
  CHECK(GA_Ddot(a, a) == 4 * n * n);
  NGA_Matmul_patch('n', 'n', &one, &three, b, lo, a_hi, b, lo, b_hi, a, lo, c_hi);
  CHECK(GA_Ddot(a, a) == 4 * n * n + 24 * (36 - 4));
  GA_Dgemm('n', 'n', 2, 2, 0, 1, b, b, 0, a);
  CHECK(GA_Ddot(a, a) == 4 * n * n + 20 * 36 - 24 * 4);
}

static void check_empty(void) {
  const int a = make("a"), b = make("b");
  double one = 1;
  GA_Fill(a, &one);
  GA_Fill(b, &one);
  check_empty_patches(a, b);
  check_empty_products(a, b);
  GA_Destroy(a);
  GA_Destroy(b);
}

/* A group has a number at every process that calls, also at one outside. */
static void check_strangers(void) {
  const int me = GA_Nodeid(), last = GA_Nnodes() - 1;
  int list[1] = {last};
  const int of_last = GA_Pgroup_create(list, 1), twin = GA_Pgroup_duplicate(of_last);
  for (int k = 0; k < 2; ++k) {
    const int some = k == 0 ? of_last : twin;
    CHECK(some > 0);
    CHECK(GA_Pgroup_nnodes(some) == 1);
    CHECK(GA_Pgroup_nodeid(some) == (me == last ? 0 : -1));
    CHECK(GA_Pgroup_absolute_id(some, 0) == last);
    if (me == last) GA_Pgroup_sync(some);
    CHECK(GA_Pgroup_destroy(some) == 1);
  }
  GA_Sync();
}

/* Each member lists a group in an order of its own. */
static void check_order_of_members(void) {
  const int count = GA_Nnodes(), me = GA_Nodeid();
  int list[64], all = 1;
  for (int k = 0; k < count; ++k) list[k] = (me + k) % count;
  const int turned = GA_Pgroup_create(list, count);
  CHECK(GA_Pgroup_nodeid(turned) == me);
  CHECK(GA_Pgroup_absolute_id(turned, me) == me);
  char plus[] = "+";
  GA_Pgroup_igop(turned, &all, 1, plus);
  CHECK(all == count);
  GA_Pgroup_destroy(turned);
}

/* Access where there are no elements: the second of two processes, and a block. */
static void check_empty_access(void) {
  int one[3] = {1, 1, 1}, width[3] = {1, 1, 1}, dims[3], ld[2];
  double *data = NULL;
  int g = NGA_Create_ghosts(C_DBL, 3, one, width, "one", NULL);
  NGA_Access_ghosts(g, dims, &data, ld);
  for (int d = 0; d < 3; ++d) CHECK(dims[d] == (GA_Nodeid() == 0 ? 3 : 2));
  CHECK(ld[0] == dims[1] && ld[1] == dims[2]);
  NGA_Release_ghosts(g);
  GA_Destroy(g);
  g = NGA_Create(C_DBL, 3, one, "bare", NULL);
  NGA_Access_ghosts(g, dims, &data, ld);
  for (int d = 0; d < 3; ++d) CHECK(dims[d] == (GA_Nodeid() == 0 ? 1 : 0));
  GA_Destroy(g);
  int four[3] = {4, 4, 4}, blocks[3] = {2, 2, 2}, map[6] = {0, 2, 0, 2, 0, 0}, grid[3] = {1, 1, GA_Nnodes()};
  g = GA_Create_handle();
  GA_Set_data(g, 3, four, C_DBL);
  GA_Set_tiled_irreg_proc_grid(g, map, blocks, grid);
  CHECK(GA_Allocate(g) == 1);
  if (GA_Nodeid() == 0) NGA_Access_block(g, 0, &data, ld);
  GA_Sync();
  GA_Destroy(g);
}

/* Patches and processes that are not there. */
static void check_outside(void) {
  const int g = make("g");
  int lo[2] = {3, 3}, hi[2] = {3, n}, map[4 * 64], owners[64];
  CHECK(NGA_Locate_region(g, lo, hi, map, owners) == 0);
  CHECK(NGA_Locate_nnodes(g, lo, hi) == 0);
  hi[1] = 2;
  CHECK(NGA_Locate_region(g, lo, hi, map, owners) == 0);
  hi[1] = 3;
  CHECK(NGA_Locate_region(g, lo, hi, map, owners) == 1);
  NGA_Distribution(g, GA_Nnodes(), lo, hi);
  CHECK(lo[0] == -1 && hi[0] == -2);
  GA_Destroy(g);
}

static void check_copy_onto_itself(void) {
  const int g = make("g");
  int lo[2] = {1, 2}, hi[2] = {5, 7};
  double one = 1;
  GA_Fill(g, &one);
  NGA_Copy_patch('n', g, lo, hi, g, lo, hi);
  CHECK(element(g, 3, 3) == 1);
  GA_Destroy(g);
}

/* Ghost cells and groups do not count where distributions are compared. */
static void check_compare(void) {
  int dims[2] = {n, n}, width[2] = {1, 2}, list[64], block[2] = {3, 3};
  for (int r = 0; r < GA_Nnodes(); ++r) list[r] = r;
  const int all = GA_Pgroup_create(list, GA_Nnodes()), g = make("g"), dealt = GA_Create_handle();
  const int padded = NGA_Create_ghosts(C_DBL, 2, dims, width, "padded", NULL);
  const int twin = NGA_Create_config(C_INT, 2, dims, "twin", NULL, all);
  GA_Set_data(dealt, 2, dims, C_DBL);
  GA_Set_block_cyclic(dealt, block);
  CHECK(GA_Allocate(dealt) == 1);
  CHECK(GA_Compare_distr(g, padded) == 0);
  CHECK(GA_Compare_distr(g, twin) == 0);
  CHECK(GA_Compare_distr(g, dealt) != 0);
  GA_Destroy(g);
  GA_Destroy(padded);
  GA_Destroy(twin);
  GA_Destroy(dealt);
  GA_Pgroup_destroy(all);
}

/* Of complex numbers real and imaginary parts are compared each by themselves. */
static void check_complex_extremes(void) {
  const char *operations[4] = {"max", "min", "absmax", "absmin"};
  const int last = GA_Nnodes() - 1, me = GA_Nodeid();
  const double expected[4][2] = {{last, 3}, {0, 3 - last}, {last, 3}, {0, last < 3 ? 3 - last : 0}};
  for (int k = 0; k < 4 && last < 4; ++k) {
    DoubleComplex z = {me, 3 - me};
    SingleComplex c = {(float)me, (float)(3 - me)};
    GA_Zgop(&z, 1, (char *)operations[k]);
    GA_Cgop(&c, 1, (char *)operations[k]);
    CHECK(z.real == expected[k][0] && z.imag == expected[k][1]);
    CHECK(c.real == expected[k][0] && c.imag == expected[k][1]);
  }
}

static void check_no_mutexes(void) {
  CHECK(GA_Create_mutexes(0) == 0 && GA_Create_mutexes(-1) == 0);
  CHECK(GA_Create_mutexes(1) == 1);
  CHECK(GA_Create_mutexes(0) == 0);
  GA_Destroy_mutexes();
}

/* A transfer that is complete takes no number: there are only 2^31 of them. */
static void check_numbers(void) {
  const int g = make("g");
  int at[2] = {GA_Nodeid() % n, 0}, ld[1] = {1};
  double value = 3;
  ga_nbhdl_t handle = 99;
  NGA_NbPut(g, at, at, &value, ld, &handle);
  if (GA_Cluster_nnodes() == 1) CHECK(handle == 0);
  NGA_NbWait(&handle);
  CHECK(NGA_NbTest(&handle) == 1);
  GA_Destroy(g);
}

/* Memory of GA_Getmem counts as held while it is that of an array. */
static void check_adopted(void) {
  int dims[2] = {12, 10}, lo[2], hi[2];
  const int a = NGA_Create(C_DBL, 2, dims, "a", NULL);
  NGA_Distribution(a, GA_Nodeid(), lo, hi);
  const size_t held = GA_Inquire_memory(), own = 8 * (size_t)((hi[0] - lo[0] + 1) * (hi[1] - lo[1] + 1));
  const int twin = GA_Assemble_duplicate(a, "twin", GA_Getmem(C_DBL, 120, 0));
  CHECK(GA_Inquire_memory() == held + own);
  GA_Destroy(twin);
  CHECK(GA_Inquire_memory() == held);
  GA_Destroy(a);
}

/* NaN is found wherever it lies, and also by norms and steps. */
static void check_nan(void) {
  const int g = make("g"), ones = make("ones");
  double one = 1, value, norm, step;
  int index[2];
  GA_Fill(ones, &one);
  for (int where = 0; where < n; ++where) {
    for (int first = 0; first < n; ++first) {
      int at[2] = {first, where}, ld[1] = {1};
      double put = first == where || first == n - 1 ? NAN : first + 1;
      if (GA_Nodeid() == 0) NGA_Put(g, at, at, &put, ld);
    }
    GA_Sync();
  }
  NGA_Select_elem(g, "max", &value, index);
  CHECK(isnan(value) && index[0] == 0 && index[1] == 0);
  NGA_Select_elem(g, "min", &value, index);
  CHECK(isnan(value) && index[0] == 0 && index[1] == 0);
  GA_Norm1(g, &norm);
  CHECK(isnan(norm));
  GA_Norm_infinity(g, &norm);
  CHECK(isnan(norm));
  GA_Step_max(ones, g, &step);
  CHECK(isnan(step));
  GA_Fill(g, &one);
  if (GA_Nodeid() == 0) {
    int at[2] = {7, 5}, ld[1] = {1};
    double none = NAN;
    NGA_Put(g, at, at, &none, ld);
  }
  GA_Sync();
  NGA_Select_elem(g, "max", &value, index);
  CHECK(isnan(value) && index[0] == 7 && index[1] == 5);
  NGA_Select_elem(g, "minimum", &value, index);
  CHECK(isnan(value) && index[0] == 7 && index[1] == 5);
  GA_Norm1(g, &norm);
  CHECK(isnan(norm));
  GA_Destroy(g);
  GA_Destroy(ones);
}

/* 2^24 and ones: in single precision, the sum would stay what it is. */
static void check_long_sum(void) {
  enum { length = 4001 };
  int dims[1] = {length}, at[1] = {0}, ld[1] = {1};
  const int a = NGA_Create(C_FLOAT, 1, dims, "a", NULL);
  const int c = NGA_Create(C_SCPL, 1, dims, "c", NULL);
  float one = 1, large = 4096, i[2] = {0, 1}, large_i[2] = {0, 4096};
  GA_Fill(a, &one);
  GA_Fill(c, i);
  if (GA_Nodeid() == 0) {
    NGA_Put(a, at, at, &large, ld);
    NGA_Put(c, at, at, large_i, ld);
  }
  GA_Sync();
  CHECK(GA_Fdot(a, a) == 16777216 + length - 1);
  const SingleComplex sum = GA_Cdot(c, c);
  CHECK(sum.real == -16777216 - (length - 1) && sum.imag == 0);
  GA_Destroy(a);
  GA_Destroy(c);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  GA_Initialize();
  check_masks();
  check_symmetrize(0);
  check_symmetrize(1);
  check_empty();
  check_strangers();
  check_order_of_members();
  check_adopted();
  check_empty_access();
  check_outside();
  check_copy_onto_itself();
  check_compare();
  check_numbers();
  check_complex_extremes();
  check_no_mutexes();
  check_nan();
  check_long_sum();
  if (GA_Nodeid() == 0) puts("all is well");
  GA_Terminate();
  MPI_Finalize();
  return 0;
}
