/* SPDX-License-Identifier: Apache-2.0 */
/* One-sided transfers of every layout against what each element must be. */
#include <string.h>

#include "check.h"

enum { rows = 37, columns = 53 };

static double value_of(int i, int j) { return 1000.0 * i + j; }

/* The array in one of the layouts, with memory. */
static int make(int layout) {
  int dims[2] = {rows, columns}, block[2] = {5, 7}, grid[2] = {1, GA_Nnodes()};
  int irregular[2] = {1, 1}, begins[2] = {0, 0}, width[2] = {2, 1}, only[1] = {GA_Nnodes() - 1};
  char name[64];
  int g = GA_Create_handle();
  GA_Set_data(g, 2, dims, C_DBL);
  GA_Set_array_name(g, "field");
  if (layout == 1) GA_Set_irreg_distr(g, begins, irregular);
  if (layout == 2) GA_Set_block_cyclic(g, block);
  if (layout == 3) GA_Set_block_cyclic_proc_grid(g, block, grid);
  if (layout == 4) GA_Set_tiled_proc_grid(g, block, grid);
  if (layout == 5) GA_Set_ghosts(g, width);
  if (layout == 6) GA_Set_restricted(g, only, 1);
  CHECK(GA_Allocate(g) == 1);
  GA_Get_array_name(g, name);
  CHECK(strcmp(name, "field") == 0);
  return g;
}

static void fill(int g) {
  int lo[2] = {0, 0}, hi[2] = {0, columns - 1}, ld[1] = {columns};
  double line[columns];
  for (int i = GA_Nodeid(); i < rows; i += GA_Nnodes()) {
    for (int j = 0; j < columns; ++j) line[j] = value_of(i, j);
    lo[0] = hi[0] = i;
    NGA_Put(g, lo, hi, line, ld);
  }
  GA_Sync();
}

static void check_patches(int g) {
  double buffer[rows * 60];
  for (int n = 0; n < 40; ++n) {
    int lo[2] = {n * 7 % rows, n * 11 % columns}, hi[2], ld[1];
    hi[0] = lo[0] + (n * 5) % (rows - lo[0]);
    hi[1] = lo[1] + (n * 3) % (columns - lo[1]);
    ld[0] = hi[1] - lo[1] + 1 + n % 3;
    NGA_Get(g, lo, hi, buffer, ld);
    for (int i = lo[0]; i <= hi[0]; ++i)
      for (int j = lo[1]; j <= hi[1]; ++j)
        CHECK(buffer[(i - lo[0]) * ld[0] + j - lo[1]] == value_of(i, j));
  }
}

static void check_accumulate(int g) {
  int lo[2] = {3, 4}, hi[2] = {30, 40}, ld[1] = {37};
  double ones[28 * 37], two = 2.0, found;
  for (int i = 0; i < 28 * 37; ++i) ones[i] = 1.0;
  GA_Sync();
  NGA_Acc(g, lo, hi, ones, ld, &two);
  GA_Sync();
  hi[0] = lo[0], hi[1] = lo[1];
  NGA_Get(g, lo, hi, &found, ld);
  CHECK(found == value_of(3, 4) + 2.0 * GA_Nnodes());
  GA_Sync();
}

static void check_lists(int g) {
  int flat[2 * 20], *subscripts[20];
  double found[20];
  for (int i = 0; i < 20; ++i) {
    flat[2 * i] = 31 + i % 6, flat[2 * i + 1] = i * 2;
    subscripts[i] = flat + 2 * i;
  }
  NGA_Gather(g, found, subscripts, 20);
  for (int i = 0; i < 20; ++i) CHECK(found[i] == value_of(flat[2 * i], flat[2 * i + 1]));
  NGA_Gather_flat(g, found, flat, 20);
  for (int i = 0; i < 20; ++i) CHECK(found[i] == value_of(flat[2 * i], flat[2 * i + 1]));
  GA_Sync();
}

static void check_periodic(int g) {
  int lo[2] = {-2, columns - 1}, hi[2] = {1, columns + 1}, ld[1] = {3};
  double found[4 * 3];
  NGA_Periodic_get(g, lo, hi, found, ld);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j)
      if ((i - 2 + rows) % rows > 30 || (columns - 1 + j) % columns > 40)
        CHECK(found[3 * i + j] == value_of((i - 2 + rows) % rows, (columns - 1 + j) % columns));
  GA_Sync();
}

static void check_order(void) {
  int one[1] = {1}, at[1] = {0}, counter = NGA_Create(C_LONG, 1, one, "counter", NULL);
  long sum = 0, all = 100L * GA_Nnodes();
  GA_Zero(counter);
  for (int i = 0; i < 100; ++i) sum += NGA_Read_inc(counter, at, 1);
  GA_Lgop(&sum, 1, "+");
  CHECK(sum == all * (all - 1) / 2);
  CHECK(GA_Create_mutexes(3) == 1);
  for (int i = 0; i < 5; ++i) {
    long value;
    GA_Lock(0);
    GA_Lock(2);
    NGA_Get(counter, at, at, &value, one);
    ++value;
    NGA_Put(counter, at, at, &value, one);
    GA_Unlock(2);
    GA_Unlock(0);
  }
  GA_Sync();
  CHECK(NGA_Read_inc(counter, at, 0) == all + 5L * GA_Nnodes());
  CHECK(GA_Destroy_mutexes() == 1);
  GA_Destroy(counter);
}

static int ended;
static void note_end(const char *text, int code) {
  CHECK(strcmp(text, "MA aborting") == 0 && code == 0);
  ++ended;
}

/* The program's function is called where MA would end it, and nowhere else. */
static void check_memory_errors(void) {
  MA_set_error_callback(note_end);
  MA_set_error_print(MA_FALSE);
  CHECK(MA_pop_stack(99) == MA_FALSE && ended == 0);
  MA_set_hard_fail(MA_TRUE);
  CHECK(MA_pop_stack(99) == MA_FALSE && ended == 1);
  CHECK(MA_set_hard_fail(MA_FALSE) == MA_TRUE);
  CHECK(MA_set_error_print(MA_TRUE) == MA_FALSE);
  ma_set_error_callback(NULL);
}

/* The largest elements: their base is as far from blocks as some number of them. */
static void check_memory_of_long_complex(void) {
  Integer handle;
  MA_AccessIndex index;
  MA_LongDoubleComplex *data;
  CHECK(MA_alloc_get(MT_C_LDCPL, 3, "long complex", &handle, &index) == MA_TRUE);
  CHECK(MA_get_pointer(handle, &data) == MA_TRUE && &ma_cb_ldcpl[index] == data);
  CHECK(MA_free_heap(handle) == MA_TRUE);
}

static void check_memory(void) {
  Integer handle, stacked;
  MA_AccessIndex index;
  double *data;
  CHECK(MA_init(MT_DBL, 1000, 1000) == MA_TRUE);
  CHECK(MA_alloc_get(MT_DBL, 100, "heap", &handle, &index) == MA_TRUE);
  ma_cb_dbl[index + 99] = 4.5;
  CHECK(MA_get_pointer(handle, &data) == MA_TRUE && data[99] == 4.5);
  CHECK(MA_push_stack(MT_INT, 10, "stack", &stacked) == MA_TRUE);
  CHECK(MA_verify_allocator_stuff() == MA_TRUE);
  CHECK(MA_pop_stack(stacked) == MA_TRUE && MA_free_heap(handle) == MA_TRUE);
  check_memory_errors();
  check_memory_of_long_complex();
  /* An Integer of 4 bytes holds no more. */
  if (sizeof(Integer) == 4) CHECK(MA_sizeof(MT_C_DBL, 300000000, MT_C_CHAR) == 2147483647);
}

/* Columns are cut, rows are not. Coordinates in the grid: Proc_topology counts axes from the fastest in C, too. */
static void check_topology(void) {
  int dims[2] = {5, 64}, chunk[2] = {5, 0}, index[2], coordinates[2];
  const int g = NGA_Create(C_DBL, 2, dims, "cut", chunk);
  for (int p = 0; p < GA_Nnodes(); ++p) {
    NGA_Get_proc_index(g, p, index);
    CHECK(index[0] == 0 && index[1] == p);
    NGA_Proc_topology(g, p, coordinates);
    CHECK(coordinates[0] == p && coordinates[1] == 0);
  }
  GA_Destroy(g);
}

/* Rows and single elements, which go without a detour, at the borders of blocks and within ghost cells. */
static void check_rows(void) {
  int dims[2] = {9, 10}, width[2] = {1, 2}, ld[1] = {10};
  const int g = NGA_Create_ghosts(C_INT, 2, dims, width, "rows", NULL);
  if (GA_Nodeid() == 0)
    for (int i = 0; i < 9; ++i)
      for (int j = 0; j < 10; ++j) {
        int at[2] = {i, j}, value = 100 * i + j;
        NGA_Put(g, at, at, &value, ld);
      }
  GA_Sync();
  for (int i = 0; i < 9; ++i)
    for (int first = 0; first < 10; ++first)
      for (int last = first; last < 10; ++last) {
        int lo[2] = {i, first}, hi[2] = {i, last}, row[10];
        NGA_Get(g, lo, hi, row, ld);
        for (int j = first; j <= last; ++j) CHECK(row[j - first] == 100 * i + j);
      }
  GA_Destroy(g);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  GA_Initialize();
  for (int layout = 0; layout < 7; ++layout) {
    const int g = make(layout);
    fill(g);
    check_patches(g);
    check_accumulate(g);
    check_lists(g);
    check_periodic(g);
    GA_Destroy(g);
  }
  check_order();
  check_memory();
  check_topology();
  check_rows();
  if (GA_Nodeid() == 0) puts("all is well");
  GA_Terminate();
  MPI_Finalize();
  return 0;
}
