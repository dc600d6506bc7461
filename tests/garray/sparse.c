/* SPDX-License-Identifier: Apache-2.0 */
/* A sparse matrix against what each element of it and of its products must be. */
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { n = 41 };

/* 2 + i on the diagonal, -1 next to it, and a 5 far off. */
static double value_of(int i, int j) {
  if (i == j) return 2.0 + i;
  if (i == j + 1 || j == i + 1) return -1.0;
  return i == 3 && j == n - 2 ? 5.0 : 0.0;
}

static int make(void) {
  int s = NGA_Sprs_array_create(n, n, C_DBL);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double v = value_of(i, j);
      /* Any process adds any element. */
      if (v != 0.0 && (i * 7 + j) % GA_Nnodes() == GA_Nodeid())
        NGA_Sprs_array_add_element(s, i, j, &v);
    }
  CHECK(NGA_Sprs_array_assemble(s) == 1);
  return s;
}

static void check_blocks(int s) {
  int lo, hi, jlo, jhi, ilo, ihi, found = 0;
  for (int p = 0; p < GA_Nnodes(); ++p)
    for (int q = 0; q < GA_Nnodes(); ++q) {
      int *i, *j;
      double* v;
      if (!NGA_Sprs_array_get_block(s, p, q, &i, &j, (void**)&v, &ilo, &ihi, &jlo, &jhi)) continue;
      NGA_Sprs_array_row_distribution(s, p, &lo, &hi);
      CHECK(lo == ilo && hi == ihi);
      for (int row = 0; row <= ihi - ilo; ++row)
        for (int k = i[row]; k < i[row + 1]; ++k, ++found) {
          CHECK(j[k] >= jlo && j[k] <= jhi);
          CHECK(v[k] == value_of(ilo + row, j[k]));
        }
      free(i);
      free(j);
      free(v);
    }
  CHECK(found == 3 * n - 2 + 1);
}

/* The same with numbers of 64 bits: all of them, also the ends. */
static void check_wide_block(int s) {
  int64_t ilo = -1, ihi = -1, jlo = -1, jhi = -1, *i = NULL, *j = NULL;
  double* v = NULL;
  int lo, hi;
  const int is_there = NGA_Sprs_array_get_block64(s, 0, 0, &i, &j, (void**)&v, &ilo, &ihi, &jlo, &jhi);
  CHECK(is_there == 1);
  NGA_Sprs_array_row_distribution(s, 0, &lo, &hi);
  CHECK(ilo == lo && ihi == hi);
  NGA_Sprs_array_column_distribution(s, 0, &lo, &hi);
  CHECK(jlo == lo && jhi == hi);
  free(i);
  free(j);
  free(v);
}

static void check_own(int s) {
  int lo, hi, sum = 0, expected = 0, *list, count;
  NGA_Sprs_array_row_distribution(s, GA_Nodeid(), &lo, &hi);
  NGA_Sprs_array_col_block_list(s, &list, &count);
  for (int c = 0; c < count; ++c) {
    int *i, *j;
    double* v;
    NGA_Sprs_array_access_col_block(s, list[c], &i, &j, (void**)&v);
    CHECK(i != NULL && j != NULL && v != NULL);
    sum += i[hi - lo + 1];
  }
  free(list);
  for (int i = lo; i <= hi; ++i)
    for (int j = 0; j < n; ++j) expected += value_of(i, j) != 0.0;
  CHECK(sum == expected);
}

/* Values that their process changes in place are seen by all after a sync. */
static void check_changed_in_place(int s) {
  int copy = NGA_Sprs_array_duplicate(s), *list, count, lo, hi, unused[2], *i, *j, next;
  double* v;
  NGA_Sprs_array_row_distribution(copy, GA_Nodeid(), &lo, &hi);
  NGA_Sprs_array_col_block_list(copy, &list, &count);
  for (int c = 0; c < count; ++c) {
    NGA_Sprs_array_access_col_block(copy, list[c], &i, &j, (void**)&v);
    for (int k = 0; k < i[hi - lo + 1]; ++k) v[k] += 100.0;
  }
  free(list);
  GA_Sync();
  next = (GA_Nodeid() + 1) % GA_Nnodes();
  for (int q = 0; q < GA_Nnodes(); ++q) {
    if (!NGA_Sprs_array_get_block(copy, next, q, &i, &j, (void**)&v, &lo, &hi, unused, unused + 1))
      continue;
    for (int row = lo; row <= hi; ++row)
      for (int k = i[row - lo]; k < i[row - lo + 1]; ++k)
        CHECK(v[k] == value_of(row, j[k]) + 100.0);
    free(i);
    free(j);
    free(v);
  }
  GA_Sync();
  NGA_Sprs_array_destroy(copy);
}

static int line_of(double first, double step) {
  int dims[1] = {n}, g = NGA_Create(C_DBL, 1, dims, "line", NULL);
  GA_Patch_enum(g, 0, n - 1, &first, &step);
  return g;
}

static double element(int g, int i) {
  double value;
  int ld[1] = {1};
  NGA_Get(g, &i, &i, &value, ld);
  return value;
}

static void check_products(int s) {
  int x = line_of(1.0, 1.0), y = line_of(0.0, 0.0), column, diagonal, dims[2] = {n, 3};
  NGA_Sprs_array_matvec_multiply(s, x, y);
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += value_of(i, j) * (1.0 + j);
    CHECK(element(y, i) == sum);
  }
  column = NGA_Sprs_array_get_column(s, n - 2);
  CHECK(element(column, 3) == 5.0 && element(column, n - 1) == -1.0 && element(column, 0) == 0.0);
  NGA_Sprs_array_get_diag(s, &diagonal);
  CHECK(element(diagonal, 7) == 9.0);

  int square = NGA_Sprs_array_matmat_multiply(s, s);
  NGA_Sprs_array_matvec_multiply(square, x, column);
  NGA_Sprs_array_matvec_multiply(s, y, diagonal);
  for (int i = 0; i < n; ++i) CHECK(element(column, i) == element(diagonal, i));
  NGA_Sprs_array_destroy(square);

  int dense = NGA_Create(C_DBL, 2, dims, "dense", NULL);
  double one = 1.0;
  GA_Fill(dense, &one);
  int right = NGA_Sprs_array_sprsdns_multiply(s, dense);
  int across = GA_Create_handle(), turned[2] = {3, n};
  GA_Set_data(across, 2, turned, C_DBL);
  CHECK(GA_Allocate(across));
  GA_Fill(across, &one);
  int left = NGA_Sprs_array_dnssprs_multiply(across, s);
  for (int i = 0; i < n; ++i) {
    double row = 0, col = 0, value;
    int at[2] = {i, 2}, there[2] = {1, i}, ld[1] = {1};
    for (int j = 0; j < n; ++j) row += value_of(i, j), col += value_of(j, i);
    NGA_Get(right, at, at, &value, ld);
    CHECK(value == row);
    NGA_Get(left, there, there, &value, ld);
    CHECK(value == col);
  }
  int handles[] = {x, y, column, diagonal, dense, right, across, left};
  for (int k = 0; k < 8; ++k) GA_Destroy(handles[k]);
}

static void check_changes(int s) {
  double two = 2.0, shift = -1.0;
  int copy = NGA_Sprs_array_duplicate(s), ones = line_of(1.0, 0.0), sums = line_of(0.0, 0.0);
  int scale = line_of(1.0, 1.0);
  NGA_Sprs_array_scale(copy, &two);
  NGA_Sprs_array_shift_diag(copy, &shift);
  NGA_Sprs_array_diag_left_multiply(copy, scale);
  NGA_Sprs_array_diag_right_multiply(copy, scale);
  NGA_Sprs_array_matvec_multiply(copy, ones, sums);
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += (2 * value_of(i, j) - (i == j)) * (1.0 + i) * (1.0 + j);
    CHECK(element(sums, i) == sum);
  }
  NGA_Sprs_array_destroy(copy);
  GA_Destroy(ones);
  GA_Destroy(sums);
  GA_Destroy(scale);
}

/* Rows are added to few, with signs. */
static void check_sketch(int s) {
  enum { few = 3 };
  int g_k, g_w, lo[2] = {0, 0}, hi[2] = {few - 1, n - 1}, ld[1] = {n}, last[1] = {n - 1}, k[n];
  double w[n], found[few * n], expected[few * n] = {0};
  int g = NGA_Sprs_array_count_sketch(s, few, &g_k, &g_w);
  CHECK(g != 0);
  NGA_Get(g_k, lo, last, k, ld);
  NGA_Get(g_w, lo, last, w, ld);
  NGA_Get(g, lo, hi, found, ld);
  for (int i = 0; i < n; ++i) {
    CHECK(k[i] >= 0 && k[i] < few && (w[i] == 1 || w[i] == -1));
    for (int j = 0; j < n; ++j) expected[k[i] * n + j] += w[i] * value_of(i, j);
  }
  for (int i = 0; i < few * n; ++i) CHECK(found[i] == expected[i]);
  GA_Sync();
  GA_Destroy(g);
  GA_Destroy(g_k);
  GA_Destroy(g_w);
}

static void check_export(int s) {
  char path[64], line[100];
  int rows, columns, count, pid = (int)getpid();
  GA_Brdcst(&pid, sizeof pid, 0);
  snprintf(path, sizeof path, "sparse_%d_%d.mtx", GA_Nnodes(), pid);
  NGA_Sprs_array_export(s, path);
  if (GA_Nodeid() != 0) return;
  FILE* file = fopen(path, "r");
  CHECK(file != NULL);
  CHECK(fgets(line, sizeof line, file) &&
        strstr(line, "%%MatrixMarket matrix coordinate real") == line);
  CHECK(fscanf(file, "%d %d %d", &rows, &columns, &count) == 3);
  CHECK(rows == n && columns == n && count == 3 * n - 1);
  for (int k = 0; k < count; ++k) {
    int i, j;
    double v;
    CHECK(fscanf(file, "%d %d %lf", &i, &j, &v) == 3);
    CHECK(v == value_of(i - 1, j - 1));
  }
  fclose(file);
  remove(path);
}

int main(int argc, char** argv) {
  GA_Initialize_args(&argc, &argv); /* starts MPI, too */
  int s = make();
  check_blocks(s);
  check_wide_block(s);
  check_own(s);
  check_changed_in_place(s);
  check_products(s);
  check_changes(s);
  check_sketch(s);
  check_export(s);
  CHECK(NGA_Sprs_array_destroy(s) == 1);
  GA_Terminate();
  MPI_Finalize();
  return 0;
}
