/* SPDX-License-Identifier: Apache-2.0 */
/* Solvers and eigenproblems on all processes (ScaLAPACK, where it is installed, and ELPA if asked for) against
   those on one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { most = 130, sides = 3 };
/* MPI polls: with more processes than cores each message of ScaLAPACK waits for the end of a time slice, and their
   number grows with n. */
static int n = most;

/* 0: regular; 1: rows only; 2: blocks dealt to processes; 3: as ScaLAPACK deals them */
static int made(int layout, int columns, const char* name) {
  int dims[2] = {n, columns}, rows_only[2] = {1, columns}, block[2] = {7, 5}, grid[2] = {1, 1};
  int g = GA_Create_handle();
  grid[0] = GA_Nnodes();
  GA_Set_data(g, 2, dims, C_DBL);
  GA_Set_array_name(g, (char*)name);
  if (layout == 1) GA_Set_chunk(g, rows_only);
  if (layout == 2) GA_Set_block_cyclic(g, block);
  if (layout == 3) GA_Set_block_cyclic_proc_grid(g, block, grid);
  CHECK(GA_Allocate(g) == 1);
  return g;
}

/* a(i, j) = f(i, j), by process 0. */
static void fill(int g, int columns, double f(int, int)) {
  int lo[2] = {0, 0}, hi[2] = {n - 1, columns - 1}, ld[1] = {columns};
  double* values = malloc(sizeof(double) * n * (size_t)columns);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < columns; ++j) values[i * columns + j] = f(i, j);
  if (GA_Nodeid() == 0) NGA_Put(g, lo, hi, values, ld);
  GA_Sync();
  free(values);
}

static double general(int i, int j) { return (i == j ? 9 : 0) + sin(1.0 + 3 * i + 7 * j); }
static double positive(int i, int j) { return (i == j ? n : 0) + cos(0.1 * (i + 1) * (j + 1)); }
static double symmetric(int i, int j) { return (i == j ? 0.05 * i : 0) + 1.0 / (1 + i + j); }
static double right(int i, int j) { return 1.0 + i % 7 - j; }

/* The largest element of |op(a) x - b|, x and b as the library sees them: C's rows are its columns. */
static double residual(int a, int x, int b, char ta) {
  int r = GA_Duplicate(b, "r"), at[2];
  double one = 1, minus = -1, worst;
  GA_Dgemm('n', ta, sides, n, n, 1.0, x, a, 0.0, r);
  GA_Add(&one, r, &minus, b, r);
  GA_Abs_value(r);
  NGA_Select_elem(r, "max", &worst, at);
  GA_Destroy(r);
  return worst;
}

static int row_array(int layout, const char* name) {
  int dims[2] = {sides, n}, block[2] = {2, 9}, grid[2] = {1, 1};
  int g = GA_Create_handle();
  grid[1] = GA_Nnodes();
  GA_Set_data(g, 2, dims, C_DBL);
  GA_Set_array_name(g, (char*)name);
  if (layout == 2) GA_Set_block_cyclic(g, block);
  if (layout == 3) GA_Set_block_cyclic_proc_grid(g, block, grid);
  CHECK(GA_Allocate(g) == 1);
  return g;
}

static void fill_rows(int g) {
  int lo[2] = {0, 0}, hi[2] = {sides - 1, n - 1}, ld[1] = {n};
  double values[sides * most];
  for (int j = 0; j < sides; ++j)
    for (int i = 0; i < n; ++i) values[j * n + i] = right(i, j);
  if (GA_Nodeid() == 0) NGA_Put(g, lo, hi, values, ld);
  GA_Sync();
}

static void systems(int layout) {
  int a = made(layout, n, "a"), b = row_array(layout, "b"), x = row_array(layout, "x");
  fill_rows(b);
  fill(a, n, general);
  GA_Copy(b, x);
  GA_Lu_solve('n', a, x);
  CHECK(residual(a, x, b, 'n') < 1e-9);
  GA_Copy(b, x);
  GA_Lu_solve('t', a, x);
  CHECK(residual(a, x, b, 't') < 1e-9);
  fill(a, n, positive);
  GA_Copy(b, x);
  CHECK(GA_Llt_solve(a, x) == 0);
  CHECK(residual(a, x, b, 'n') < 1e-9);
  GA_Copy(b, x);
  CHECK(GA_Solve(a, x) == 0);
  CHECK(residual(a, x, b, 'n') < 1e-9);
  /* a inverse times b is the solution, too */
  int inverse = GA_Duplicate(a, "inverse"), product = GA_Duplicate(b, "product");
  GA_Copy(a, inverse);
  CHECK(GA_Spd_invert(inverse) == 0);
  GA_Dgemm('n', 'n', sides, n, n, 1.0, b, inverse, 0.0, product);
  CHECK(residual(a, product, b, 'n') < 1e-9);
  GA_Destroy(product);
  GA_Destroy(inverse);
  /* A minor that is not positive: its order, and b as it was. */
  fill(a, n, symmetric);
  double minus = -1;
  int corner_lo[2] = {4, 4}, corner_hi[2] = {4, 4}, ld[1] = {1};
  if (GA_Nodeid() == 0) NGA_Put(a, corner_lo, corner_hi, &minus, ld);
  GA_Sync();
  GA_Copy(b, x);
  CHECK(GA_Llt_solve(a, x) == 5);
  /* Solve goes on to LU then, and says the same. */
  CHECK(GA_Solve(a, x) == 5);
  CHECK(residual(a, x, b, 'n') < 1e-9);
  GA_Destroy(a);
  GA_Destroy(b);
  GA_Destroy(x);
}

static void eigenproblems(int layout) {
  int a = made(layout, n, "a"), s = made(layout, n, "s"), v = made(layout, n, "v"),
      left = made(0, n, "left"), r = made(0, n, "r");
  double values[most], alone[most];
  fill(a, n, symmetric);
  fill(s, n, positive);
  for (int generalized = 0; generalized < 2; ++generalized) {
    if (generalized) {
      GA_Diag_seq(a, s, v, alone);
      GA_Diag(a, s, v, values);
    } else {
      GA_Diag_std_seq(a, v, alone);
      GA_Diag_std(a, v, values);
    }
    for (int i = 0; i < n; ++i) CHECK(fabs(values[i] - alone[i]) < 1e-10);
    /* rows of v in C: v a = values s v */
    double worst, one = 1, minus = -1;
    int at[2], lengths[1] = {n}, lo = 0, hi = n - 1;
    int scales = NGA_Create(C_DBL, 1, lengths, "scales", NULL);
    if (GA_Nodeid() == 0) NGA_Put(scales, &lo, &hi, values, lengths);
    GA_Sync();
    GA_Dgemm('n', 'n', n, n, n, 1.0, v, a, 0.0, left);
    if (generalized)
      GA_Dgemm('n', 'n', n, n, n, 1.0, v, s, 0.0, r);
    else
      GA_Copy(v, r);
    GA_Scale_rows(r, scales);
    GA_Add(&one, left, &minus, r, r);
    GA_Abs_value(r);
    NGA_Select_elem(r, "max", &worst, at);
    CHECK(worst < 1e-9);
    GA_Destroy(scales);
  }
  GA_Destroy(a);
  GA_Destroy(s);
  GA_Destroy(v);
  GA_Destroy(left);
  GA_Destroy(r);
}

/* Which libraries are there and are used. */
static const char* solver(void) {
  char line[1000];
  int scalapack = 0, elpa = 0;
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps)) {
    scalapack |= strstr(line, "libscalapack") != NULL;
    elpa |= strstr(line, "libelpa") != NULL;
  }
  if (maps) fclose(maps);
  if (elpa) return "ScaLAPACK and ELPA";
  if (!scalapack) return "LAPACK on one process; SKIPPED: ScaLAPACK (libscalapack-openmpi or -mpich) is not installed";
  return strcmp(getenv("BLOCKYARD_GA_ELPA"), "0") ? "ScaLAPACK; SKIPPED: ELPA (libelpa) is not installed for this MPI"
                                                  : "ScaLAPACK alone";
}

int main(int argc, char** argv) {
  setenv("BLOCKYARD_GA_SCALAPACK", "16", 0);
  setenv("BLOCKYARD_GA_ELPA", "0", 0);
  MPI_Init(&argc, &argv);
  GA_Initialize();
  if (GA_Nnodes() > 4) n = 40;
  for (int layout = 0; layout < 4; ++layout) {
    systems(layout);
    eigenproblems(layout);
  }
  if (GA_Nodeid() == 0) printf("solved by %s\n", solver());
  GA_Terminate();
  MPI_Finalize();
  return 0;
}
