/* SPDX-License-Identifier: Apache-2.0 */
/* Collective operations between arrays of different layouts. */
#include <math.h>

#include "check.h"

enum { n = 40 };

static int make(const char *name, int is_dealt) {
  int dims[2] = {n, n}, block[2] = {6, 9};
  int g = GA_Create_handle();
  GA_Set_data(g, 2, dims, C_DBL);
  GA_Set_array_name(g, (char *)name);
  if (is_dealt) GA_Set_block_cyclic(g, block);
  CHECK(GA_Allocate(g) == 1);
  return g;
}

static void get_all(int g, double *all) {
  int lo[2] = {0, 0}, hi[2] = {n - 1, n - 1}, ld[1] = {n};
  NGA_Get(g, lo, hi, all, ld);
}

/* A symmetric positive definite matrix. */
static void set_values(int g, double *all) {
  int lo[2] = {0, 0}, hi[2] = {n - 1, n - 1}, ld[1] = {n};
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) all[i * n + j] = (i == j ? n : 0) + 1.0 / (1 + i + j);
  GA_Sync();
  if (GA_Nodeid() == 0) NGA_Put(g, lo, hi, all, ld);
  GA_Sync();
}

static void check_products(int a, int b, int c, const double *va, const double *vb) {
  static double found[n * n];
  const char flags[] = {'n', 't'};
  for (int which = 0; which < 4; ++which) {
    const int ta = which & 1, tb = which >> 1;
    GA_Dgemm(flags[ta], flags[tb], n, n, n, 2.0, a, b, 0.0, c);
    get_all(c, found);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int k = 0; k < n; ++k)
          sum += (ta ? va[k * n + i] : va[i * n + k]) * (tb ? vb[j * n + k] : vb[k * n + j]);
        CHECK(fabs(found[i * n + j] - 2 * sum) < 1e-9 * fabs(sum) + 1e-9);
      }
    GA_Sync();
  }
}

/* (1 + 2i) times itself or, where 'c' asks for the adjoint, times its conjugate. */
static void check_adjoints(void) {
  const char flags[] = {'t', 'c'};
  DoubleComplex value = {1, 2}, one = {1, 0}, zero = {0, 0}, found;
  int dims[2] = {n, n}, at[2] = {n / 2, n - 1}, ld[1] = {1};
  int a = NGA_Create(C_DCPL, 2, dims, "a", NULL), c = GA_Duplicate(a, "c");
  GA_Fill(a, &value);
  for (int which = 0; which < 4; ++which) {
    const int is_left = which & 1, is_adjoint = which >> 1;
    const char flag = flags[is_adjoint];
    GA_Zgemm(is_left ? flag : 'n', is_left ? 'n' : flag, n, n, n, one, a, a, zero, c);
    NGA_Get(c, at, at, &found, ld);
    CHECK(found.real == (is_adjoint ? 5 * n : -3 * n) && found.imag == (is_adjoint ? 0 : 4 * n));
    GA_Sync();
  }
  GA_Destroy(a);
  GA_Destroy(c);
}

static void check_sums(int a, int b, int c, const double *va, const double *vb) {
  static double found[n * n];
  double two = 2, three = 3, dot = 0;
  GA_Add(&two, a, &three, b, c);
  get_all(c, found);
  for (int i = 0; i < n * n; ++i) {
    CHECK(found[i] == 2 * va[i] + 3 * vb[i]);
    dot += va[i] * vb[i];
  }
  CHECK(fabs(GA_Ddot(a, b) - dot) < 1e-9 * fabs(dot));
  GA_Transpose(b, c);
  get_all(c, found);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) CHECK(found[i * n + j] == vb[j * n + i]);
  GA_Sync();
  GA_Symmetrize(c);
  get_all(c, found);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) CHECK(found[i * n + j] == (vb[j * n + i] + vb[i * n + j]) / 2);
  GA_Sync();
}

static void check_solvers(int a, int c, const double *va) {
  static double values[n], vectors[n * n];
  int dims[1] = {n}, lo[1] = {0}, hi[1] = {n - 1}, ld[1] = {1};
  double one = 1, x[n];
  int b = NGA_Create(C_DBL, 1, dims, "right side", NULL);
  GA_Fill(b, &one);
  CHECK(GA_Solve(a, b) == 0);
  NGA_Get(b, lo, hi, x, ld);
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += va[i * n + j] * x[j];
    CHECK(fabs(sum - 1) < 1e-10);
  }
  GA_Diag_std(a, c, values);
  get_all(c, vectors);
  for (int k = 1; k < n; ++k) CHECK(values[k] >= values[k - 1]);
  /* Vectors are columns in the Fortran sense: rows in C. */
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += va[i * n + j] * vectors[j];
    CHECK(fabs(sum - values[0] * vectors[i]) < 1e-9);
  }
  GA_Sync();
  GA_Destroy(b);
}

static void check_scans(void) {
  int dims[1] = {12}, lo[1] = {0}, hi[1] = {11}, ld[1] = {1}, count;
  int src = NGA_Create(C_INT, 1, dims, "source", NULL), start = 5, one = 1, zero = 0;
  int dst = GA_Duplicate(src, "sums"), flag = GA_Duplicate(src, "flags");
  int flags[12] = {0, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0}, found[12];
  const int inclusive[12] = {0, 6, 13, 21, 9, 19, 30, 42, 13, 14, 29, 45};
  const int exclusive[12] = {0, 0, 6, 13, 0, 9, 19, 30, 0, 0, 14, 29};
  GA_Patch_enum(src, 0, 11, &start, &one);
  if (GA_Nodeid() == 0) NGA_Put(flag, lo, hi, flags, ld);
  GA_Fill(dst, &zero);
  GA_Scan_add(src, dst, flag, 0, 11, 0);
  NGA_Get(dst, lo, hi, found, ld);
  for (int i = 0; i < 12; ++i) CHECK(found[i] == inclusive[i]);
  GA_Scan_add(src, dst, flag, 0, 11, 1);
  NGA_Get(dst, lo, hi, found, ld);
  for (int i = 0; i < 12; ++i) CHECK(found[i] == exclusive[i]);
  GA_Pack(src, dst, flag, 0, 11, &count);
  CHECK(count == 4);
  hi[0] = 3;
  NGA_Get(dst, lo, hi, found, ld);
  CHECK(found[0] == 6 && found[1] == 9 && found[2] == 13 && found[3] == 14);
  GA_Sync();
  GA_Destroy(src);
  GA_Destroy(dst);
  GA_Destroy(flag);
}

/* hi = lo - 1, also at both ends: nothing happens. */
static void check_empty_ranges(void) {
  int dims[1] = {12}, start = 5, one = 1;
  const int src = NGA_Create(C_INT, 1, dims, "source", NULL), dst = GA_Duplicate(src, "sums");
  GA_Fill(src, &one);
  GA_Zero(dst);
  for (int first = 0; first <= 12; first += 6) {
    int count = -1;
    GA_Patch_enum(src, first, first - 1, &start, &one);
    GA_Scan_copy(src, dst, src, first, first - 1);
    GA_Scan_add(src, dst, src, first, first - 1, 0);
    GA_Pack(src, dst, src, first, first - 1, &count);
    CHECK(count == 0);
    count = -1;
    GA_Unpack(src, dst, src, first, first - 1, &count);
    CHECK(count == 0);
  }
  CHECK(GA_Idot(src, src) == 12 && GA_Idot(dst, dst) == 0);
  GA_Destroy(src);
  GA_Destroy(dst);
}

static void check_ghost_box(int g, int row, int column, int last_row, int last_column) {
  int lo[2] = {row, column}, hi[2] = {last_row, last_column}, ld[1] = {last_column - column + 1}, box[20 * 20];
  NGA_Get_ghost_block(g, lo, hi, box, ld);
  for (int i = row; i <= last_row; ++i)
    for (int j = column; j <= last_column; ++j)
      CHECK(box[(i - row) * ld[0] + j - column] == 10 * ((i + 9) % 9) + (j + 8) % 8);
}

static void check_ghosts(void) {
  int dims[2] = {9, 8}, width[2] = {2, 1}, lo[2], hi[2], ld[1], padded[2];
  int g = NGA_Create_ghosts(C_INT, 2, dims, width, "halo", NULL), *data;
  NGA_Distribution(g, GA_Nodeid(), lo, hi);
  if (hi[0] >= lo[0]) {
    NGA_Access(g, lo, hi, &data, ld);
    for (int i = lo[0]; i <= hi[0]; ++i)
      for (int j = lo[1]; j <= hi[1]; ++j) data[(i - lo[0]) * ld[0] + j - lo[1]] = 10 * i + j;
    NGA_Release_update(g, lo, hi);
  }
  GA_Update_ghosts(g);
  if (hi[0] >= lo[0]) {
    NGA_Access_ghosts(g, padded, &data, ld);
    for (int i = 0; i < padded[0]; ++i)
      for (int j = 0; j < padded[1]; ++j)
        CHECK(data[i * ld[0] + j] ==
              10 * ((lo[0] + i - 2 + 9) % 9) + (lo[1] + j - 1 + 8) % 8);
  }
  /* The box as it is given: of the own block with its ghost cells, or of the array, which repeats. */
  if (hi[0] >= lo[0]) check_ghost_box(g, lo[0] - 2, lo[1] - 1, hi[0] + 2, hi[1] + 1);
  if (hi[0] >= lo[0]) check_ghost_box(g, lo[0], lo[1] - 1, hi[0], lo[1] - 1);
  check_ghost_box(g, -4, 1, 12, 9);
  GA_Sync();
  GA_Destroy(g);
}

static void check_groups(void) {
  int half = GA_Pgroup_split(GA_Pgroup_get_world(), 2), dims[1] = {10}, me = GA_Nodeid();
  int g = NGA_Create_config(C_INT, 1, dims, "half", NULL, half), value = me;
  GA_Pgroup_brdcst(half, &value, sizeof value, 0);
  GA_Fill(g, &value);
  CHECK(GA_Idot(g, g) == 10 * value * value);
  GA_Destroy(g);
  CHECK(GA_Pgroup_split(half, 0) == half);
  GA_Pgroup_destroy(half);
  GA_Sync();
}

typedef struct {
  int *lo, *hi, *ld;
  double* values;
} Patch;

/* Three arrays of doubles of the same shape: two factors with a patch written each, and their product, zero. */
static void create_factors(int axes, int dims[], Patch a, Patch b, int g[3]) {
  g[0] = NGA_Create(C_DBL, axes, dims, "a", NULL);
  g[1] = GA_Duplicate(g[0], "b");
  g[2] = GA_Duplicate(g[0], "c");
  GA_Zero(g[2]);
  if (GA_Nodeid() == 0) {
    NGA_Put(g[0], a.lo, a.hi, a.values, a.ld);
    NGA_Put(g[1], b.lo, b.hi, b.values, b.ld);
  }
  GA_Sync();
}

static void destroy_factors(int g[3]) {
  for (int k = 0; k < 3; ++k) GA_Destroy(g[k]);
}

/* A patch with one axis longer than 1 is a row or a column, whichever fits: 1 x 3 times 3 x 2. */
static void check_thin_products(void) {
  int dims[4] = {3, 3, 3, 3}, alo[4] = {1, 0, 0, 2}, ahi[4] = {1, 0, 2, 2}, blo[4] = {0, 0, 1, 0},
      bhi[4] = {0, 2, 1, 1}, clo[4] = {2, 1, 0, 1}, chi[4] = {2, 1, 0, 2}, ld[3] = {1, 1, 2}, of_b[3] = {3, 1, 2};
  double a[3] = {1, 2, 3}, b[6] = {1, 2, 3, 4, 5, 6}, c[2] = {0}, one = 1, zero = 0;
  int g[3], of_a[3] = {1, 3, 1};
  create_factors(4, dims, (Patch){alo, ahi, of_a, a}, (Patch){blo, bhi, of_b, b}, g);
  NGA_Matmul_patch('n', 'n', &one, &zero, g[0], alo, ahi, g[1], blo, bhi, g[2], clo, chi);
  NGA_Get(g[2], clo, chi, c, ld);
  CHECK(c[0] == 22 && c[1] == 28);
  destroy_factors(g);
}

/* (1 2; 3 4) (5 6; 7 8), in corners of larger arrays. */
static void check_products_as_they_lie(void) {
  int dims[2] = {3, 3}, lo[2] = {0, 1}, hi[2] = {1, 2}, ld[1] = {2};
  double a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, c[4] = {0}, one = 1, zero = 0;
  int g[3];
  create_factors(2, dims, (Patch){lo, hi, ld, a}, (Patch){lo, hi, ld, b}, g);
  NGA_Matmul_patch_alt('n', 'n', &one, &zero, g[0], lo, hi, g[1], lo, hi, g[2], lo, hi);
  NGA_Get(g[2], lo, hi, c, ld);
  CHECK(c[0] == 19 && c[1] == 22 && c[2] == 43 && c[3] == 50);
  int64_t wide_lo[2] = {0, 1}, wide_hi[2] = {1, 2};
  double two = 2;
  NGA_Matmul_patch_alt64('n', 't', &two, &one, g[0], wide_lo, wide_hi, g[1], wide_lo, wide_hi, g[2],
                         wide_lo, wide_hi);
  NGA_Get(g[2], lo, hi, c, ld);
  CHECK(c[0] == 19 + 2 * 17 && c[1] == 22 + 2 * 23 && c[2] == 43 + 2 * 39 && c[3] == 50 + 2 * 53);
  destroy_factors(g);
}

int main(int argc, char **argv) {
  static double va[n * n], vb[n * n];
  MPI_Init(&argc, &argv);
  GA_Initialize();
  for (int dealt = 0; dealt < 4; ++dealt) {
    const int a = make("a", dealt & 1), b = make("b", dealt >> 1), c = make("c", dealt & 1);
    double scale[n];
    int dims[1] = {n}, lo[1] = {0}, hi[1] = {n - 1}, ld[1] = {1};
    int v = NGA_Create(C_DBL, 1, dims, "v", NULL);
    set_values(a, va);
    set_values(b, vb);
    for (int i = 0; i < n; ++i) scale[i] = i + 1;
    if (GA_Nodeid() == 0) NGA_Put(v, lo, hi, scale, ld);
    GA_Sync();
    GA_Scale_rows(b, v);
    for (int i = 0; i < n * n; ++i) vb[i] *= i / n + 1;
    check_products(a, b, c, va, vb);
    check_sums(a, b, c, va, vb);
    check_solvers(a, c, va);
    GA_Destroy(a);
    GA_Destroy(b);
    GA_Destroy(c);
    GA_Destroy(v);
  }
  check_scans();
  check_empty_ranges();
  check_ghosts();
  check_groups();
  check_adjoints();
  check_thin_products();
  check_products_as_they_lie();
  if (GA_Nodeid() == 0) puts("all is well");
  GA_Terminate();
  MPI_Finalize();
  return 0;
}
