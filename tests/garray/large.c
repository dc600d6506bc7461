/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays with enough elements for tiles, panels and tables of blocks: transposes, copies, lists of elements
   and products, between all layouts. */
#include <math.h>
#include <string.h>

#include "check.h"

enum { layouts = 6, types = 6, most = 160 * 90 };
static const int codes[types] = {C_INT, C_LONG, C_FLOAT, C_DBL, C_SCPL, C_DCPL};
static const size_t bytes_of[types] = {sizeof(int), sizeof(long), sizeof(float), sizeof(double), sizeof(SingleComplex),
                                       sizeof(DoubleComplex)};

/* On as many processes as there are, in rows of them: a grid that fits any number. */
static int make(int type, int rows, int columns, int layout) {
  int dims[2] = {rows, columns}, block[2] = {9, 13}, grid[2] = {GA_Nnodes(), 1}, map[16], blocks[2] = {1, 1};
  int g = GA_Create_handle();
  GA_Set_data(g, 2, dims, type);
  switch (layout) {
    case 1:
      GA_Set_block_cyclic(g, block);
      break;
    case 2:
      GA_Set_block_cyclic_proc_grid(g, block, grid);
      break;
    case 3:
      GA_Set_tiled_proc_grid(g, block, grid);
      break;
    case 4: /* the first process has one row only */
      blocks[0] = GA_Nnodes();
      for (int p = 0; p < blocks[0]; ++p) map[p] = p == 0 ? 0 : 1 + (p - 1) * 3;
      map[blocks[0]] = 0;
      GA_Set_irreg_distr(g, map, blocks);
      break;
    case 5:
      block[0] = block[1] = 1;
      GA_Set_ghosts(g, block);
      break;
    default:
      break;
  }
  CHECK(GA_Allocate(g) == 1);
  return g;
}

/* The bytes of an element, all of which its number decides. */
static void write_number(char *to, size_t bytes, int number) {
  for (size_t i = 0; i < bytes; ++i) to[i] = (char)(number >> 8 * (i % 2)) + (char)(i / 2);
}

static void number(int g, int rows, int columns, size_t bytes) {
  static char all[most * sizeof(DoubleComplex)];
  int lo[2] = {0, 0}, hi[2] = {rows - 1, columns - 1}, ld[1] = {columns};
  for (int k = 0; k < rows * columns; ++k) write_number(all + k * bytes, bytes, k);
  GA_Sync();
  if (GA_Nodeid() == GA_Nnodes() - 1) NGA_Put(g, lo, hi, all, ld);
  GA_Sync();
}

static void check_copies(int t, int from_layout, int to_layout) {
  enum { rows = 160, columns = 90 };
  static char found[most * sizeof(DoubleComplex)];
  int lo[2] = {0, 0}, hi[2] = {columns - 1, rows - 1}, ld[1] = {rows};
  const int a = make(codes[t], rows, columns, from_layout), b = make(codes[t], columns, rows, to_layout);
  const int c = make(codes[t], rows, columns, to_layout);
  char expected[sizeof(DoubleComplex)];
  number(a, rows, columns, bytes_of[t]);
  GA_Transpose(a, b);
  NGA_Get(b, lo, hi, found, ld);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      write_number(expected, bytes_of[t], i * columns + j);
      CHECK(memcmp(found + (j * rows + i) * bytes_of[t], expected, bytes_of[t]) == 0);
    }
  GA_Copy(a, c);
  hi[0] = rows - 1, hi[1] = columns - 1, ld[0] = columns;
  NGA_Get(c, lo, hi, found, ld);
  for (int k = 0; k < rows * columns; ++k) {
    write_number(expected, bytes_of[t], k);
    CHECK(memcmp(found + k * bytes_of[t], expected, bytes_of[t]) == 0);
  }
  GA_Sync();
  GA_Destroy(a);
  GA_Destroy(b);
  GA_Destroy(c);
}

static void check_lists(int t, int layout) {
  enum { rows = 70, columns = 50, count = 900 };
  static int flat[2 * count], *lists[count];
  static char values[count * sizeof(DoubleComplex)];
  const size_t bytes = bytes_of[t];
  char expected[sizeof(DoubleComplex)];
  const int g = make(codes[t], rows, columns, layout), me = GA_Nodeid(), all = GA_Nnodes();
  number(g, rows, columns, bytes);
  for (int k = 0; k < count; ++k) {
    const int place = k * 37 % (rows * columns);
    flat[2 * k] = place / columns, flat[2 * k + 1] = place % columns;
    lists[k] = flat + 2 * k;
  }
  for (int is_flat = 0; is_flat < 2; ++is_flat) {
    memset(values, 0, sizeof values);
    if (is_flat)
      NGA_Gather_flat(g, values, flat, count);
    else
      NGA_Gather(g, values, lists, count);
    for (int k = 0; k < count; ++k) {
      write_number(expected, bytes, k * 37 % (rows * columns));
      CHECK(memcmp(values + k * bytes, expected, bytes) == 0);
    }
  }
  GA_Sync();
  /* Each process writes its share of the places. */
  const int begin = count * me / all, share = count * (me + 1) / all - begin;
  for (int k = 0; k < share; ++k) write_number(values + k * bytes, bytes, 5000 + begin + k);
  NGA_Scatter(g, values, lists + begin, share / 2);
  NGA_Scatter_flat(g, values + share / 2 * bytes, flat + 2 * (begin + share / 2), share - share / 2);
  GA_Sync();
  NGA_Gather_flat(g, values, flat, count);
  for (int k = 0; k < count; ++k) {
    write_number(expected, bytes, 5000 + k);
    CHECK(memcmp(values + k * bytes, expected, bytes) == 0);
  }
  GA_Sync();
  GA_Destroy(g);
}

/* Small integers, so that sums are exact. */
static double part(int i, int j, int seed) { return (i * 7 + j * 3 + seed) % 11 - 5; }

static void set_parts(int g, int rows, int columns, int seed) {
  static double row[2200];
  for (int i = GA_Nodeid(); i < rows; i += GA_Nnodes()) {
    int lo[2] = {i, 0}, hi[2] = {i, columns - 1}, ld[1] = {columns};
    for (int j = 0; j < columns; ++j) row[j] = part(i, j, seed);
    NGA_Put(g, lo, hi, row, ld);
  }
  GA_Sync();
}

static void check_product(char ta, char tb, int m, int n, int k, int la, int lb, int lc) {
  const int a = ta == 'n' ? make(C_DBL, m, k, la) : make(C_DBL, k, m, la);
  const int b = tb == 'n' ? make(C_DBL, k, n, lb) : make(C_DBL, n, k, lb);
  const int c = make(C_DBL, m, n, lc);
  set_parts(a, ta == 'n' ? m : k, ta == 'n' ? k : m, 1);
  set_parts(b, tb == 'n' ? k : n, tb == 'n' ? n : k, 2);
  set_parts(c, m, n, 3);
  GA_Dgemm(ta, tb, m, n, k, 2.0, a, b, 3.0, c);
  double *found = malloc((size_t)m * n * sizeof *found);
  int lo[2] = {0, 0}, hi[2] = {m - 1, n - 1}, ld[1] = {n};
  NGA_Get(c, lo, hi, found, ld);
  for (int i = GA_Nodeid(); i < m; i += GA_Nnodes())
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l)
        sum += (ta == 'n' ? part(i, l, 1) : part(l, i, 1)) * (tb == 'n' ? part(l, j, 2) : part(j, l, 2));
      CHECK(found[i * n + j] == 2 * sum + 3 * part(i, j, 3));
    }
  free(found);
  GA_Sync();
  GA_Destroy(a);
  GA_Destroy(b);
  GA_Destroy(c);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  GA_Initialize();
  for (int t = 0; t < types; ++t)
    for (int layout = 0; layout < layouts; ++layout) {
      check_copies(t, layout, (layout + t) % layouts);
      check_lists(t, layout);
    }
  for (int layout = 0; layout < layouts; ++layout) {
    const int other = (layout + 1) % layouts, third = (layout + 3) % layouts;
    check_product('n', 'n', 37, 45, 530, layout, other, third);
    check_product('t', 'n', 45, 37, 530, other, layout, layout);
    check_product('n', 't', 37, 45, 90, layout, layout, other);
    check_product('t', 't', 60, 50, 70, layout, third, layout);
  }
  for (int layout = 0; layout < 2; ++layout) {
    check_product('n', 't', 2100, 20, 15, layout, 0, layout);
    check_product('t', 'n', 20, 2100, 15, 0, layout, layout);
  }
  if (GA_Nodeid() == 0) puts("all is well");
  GA_Terminate();
  MPI_Finalize();
  return 0;
}
