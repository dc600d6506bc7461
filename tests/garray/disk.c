/* SPDX-License-Identifier: Apache-2.0 */
/* Disk resident arrays: whole, in sections, transposed, of all layouts, opened again. */
#include <dra.h>
#include <mpi.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

enum { N = 70, M = 45, K = 23 };

static int me, count;

static double value(long i, long j, long k) { return (double)(i * 10000 + j * 100 + k); }

static int new_array(const char* name, int n, int m, int k) {
  int dims[3] = {n, m, k};
  int g = NGA_Create(C_DBL, 3, dims, (char*)name, NULL);
  CHECK(g != 0);
  GA_Zero(g);
  return g;
}

/* Each process puts every count-th plane. */
static void fill(int g, int n, int m, int k, double shift) {
  static double plane[N * N];
  for (int i = me; i < n; i += count) {
    int lo[3] = {i, 0, 0}, hi[3] = {i, m - 1, k - 1}, ld[2] = {m, k};
    for (int j = 0; j < m; ++j)
      for (int l = 0; l < k; ++l) plane[j * k + l] = value(i, j, l) + shift;
    NGA_Put(g, lo, hi, plane, ld);
  }
  GA_Sync();
}

static void wait_for(int request) { CHECK(DRA_Wait(request) == 0); }

static void whole_arrays(char* file) {
  dra_size_t dims[3] = {N, M, K}, usual[3] = {10, -1, -1}, found[3];
  int d, request, status = 0, type, ndim;
  char name[100], path[600];
  int a = new_array("a", N, M, K), b = new_array("b", N, M, K);
  fill(a, N, M, K, 0);
  CHECK(NDRA_Create(C_DBL, 3, dims, "on disk", file, DRA_RW, usual, &d) == 0);
  CHECK(NDRA_Read(b, d, &request) == 0);
  wait_for(request); /* never written: zeros */
  CHECK(GA_Ddot(b, b) == 0);
  CHECK(NDRA_Write(a, d, &request) == 0);
  fill(b, N, M, K, 0);
  GA_Zero(a); /* may change at once */
  while (status != -1) CHECK(DRA_Probe(request, &status) == 0);
  wait_for(request);
  wait_for(request);
  wait_for(DRA_REQ_INVALID);
  CHECK(NDRA_Read(a, d, &request) == 0);
  wait_for(request);
  {
    double one = 1, minus = -1;
    GA_Add(&one, a, &minus, b, a);
  }
  CHECK(GA_Ddot(a, a) == 0);
  CHECK(NDRA_Inquire(d, &type, &ndim, found, name, path) == 0);
  CHECK(type == C_DBL && ndim == 3 && found[0] == N && found[1] == M && found[2] == K);
  CHECK(strcmp(name, "on disk") == 0 && strstr(path, ".dra") != NULL);
  CHECK(DRA_Close(d) == 0);
  GA_Destroy(a);
  GA_Destroy(b);
}

static void check_section(int g, int lo[3], int hi[3], long shift[3], int is_reversed) {
  static double part[N * M * K];
  int ld[2] = {hi[1] - lo[1] + 1, hi[2] - lo[2] + 1};
  NGA_Get(g, lo, hi, part, ld);
  for (int i = lo[0]; i <= hi[0]; ++i)
    for (int j = lo[1]; j <= hi[1]; ++j)
      for (int k = lo[2]; k <= hi[2]; ++k) {
        double found = part[((i - lo[0]) * ld[0] + j - lo[1]) * ld[1] + k - lo[2]];
        long x = i - lo[0] + shift[0], y = j - lo[1] + shift[1], z = k - lo[2] + shift[2];
        CHECK(found == (is_reversed ? value(z, y, x) : value(x, y, z)));
      }
}

/* The file of whole_arrays, by processes that did not make it. */
static void sections(char* file) {
  int d, request, other;
  int g = new_array("g", 30, 40, 50);
  int glo[3] = {3, 5, 7}, ghi[3] = {22, 34, 20};
  dra_size_t dlo[3] = {41, 11, 2}, dhi[3] = {60, 40, 15};
  CHECK(DRA_Open(file, DRA_R, &d) == 0);
  CHECK(NDRA_Read_section(0, g, glo, ghi, d, dlo, dhi, &request) == 0);
  wait_for(request);
  check_section(g, glo, ghi, dlo, 0);
  {
    int tlo[3] = {1, 6, 10}, thi[3] = {14, 35, 29};
    dra_size_t shift[3] = {2, 11, 41};
    CHECK(NDRA_Read_section(1, g, tlo, thi, d, dlo, dhi, &request) == 0);
    wait_for(request);
    check_section(g, tlo, thi, shift, 1);
  }
  CHECK(DRA_Close(d) == 0);
  /* Written in two requests that meet in tiles, and read before they are waited for. */
  CHECK(DRA_Open(file, DRA_RW, &d) == 0);
  fill(g, 30, 40, 50, 0);
  for (int half = 0; half < 2; ++half) {
    int lo[3] = {0, 20 * half, 0}, hi[3] = {29, 20 * half + 19, 22};
    dra_size_t to[3] = {0, 20 * half, 0}, end[3] = {29, 20 * half + 19, 22};
    CHECK(NDRA_Write_section(0, g, lo, hi, d, to, end, half == 0 ? &request : &other) == 0);
  }
  GA_Zero(g);
  {
    int lo[3] = {0, 0, 0}, hi[3] = {29, 39, 22};
    dra_size_t from[3] = {0, 0, 0}, end[3] = {29, 39, 22};
    int last;
    CHECK(NDRA_Read_section(0, g, lo, hi, d, from, end, &last) == 0);
    wait_for(last);
    check_section(g, lo, hi, from, 0);
  }
  wait_for(request);
  wait_for(other);
  CHECK(DRA_Delete(d) == 0);
  CHECK(access(file, F_OK) != 0);
  CHECK(DRA_Open(file, DRA_R, &d) == -1);
  GA_Destroy(g);
}

/* Several files, and tiles that lie in the memory of one process: then nothing is copied. */
static void in_three_files(char* file) {
  enum { rows = 600, columns = 1000 };
  static double line[columns];
  int dims[2] = {rows, columns}, d, request, lo[2] = {0, 0}, hi[2] = {0, columns - 1},
      ld[1] = {columns};
  dra_size_t extents[2] = {rows, columns}, usual[2] = {-1, -1};
  double one = 1, minus = -1;
  char other[600];
  int g = NGA_Create(C_DBL, 2, dims, "wide", NULL), back = NGA_Create(C_DBL, 2, dims, "back", NULL);
  for (int i = me; i < rows; i += count) {
    for (int j = 0; j < columns; ++j) line[j] = i * 1000.0 + j;
    lo[0] = hi[0] = i;
    NGA_Put(g, lo, hi, line, ld);
  }
  GA_Zero(back);
  CHECK(NDRA_Create_config(C_DBL, 2, extents, "wide", file, DRA_RW, usual, 3, 2, &d) == 0);
  snprintf(other, sizeof other, "%s.2", file);
  CHECK(access(other, F_OK) == 0);
  CHECK(NDRA_Read(back, d, &request) == 0);
  wait_for(request); /* never written: zeros */
  CHECK(GA_Ddot(back, back) == 0);
  for (int turn = 0; turn < 2; ++turn) {
    GA_Scale(g, turn == 0 ? &one : &minus);
    CHECK(NDRA_Write(g, d, &request) == 0);
    CHECK(NDRA_Read(back, d, &request) == 0); /* sees the write, which was not waited for */
    wait_for(request);
    GA_Add(&one, back, &minus, g, back);
    CHECK(GA_Ddot(back, back) == 0);
  }
  CHECK(DRA_Close(d) == 0);
  CHECK(DRA_Open(file, DRA_R, &d) == 0);
  CHECK(NDRA_Read(back, d, &request) == 0);
  wait_for(request);
  lo[0] = hi[0] = rows - 1;
  NGA_Get(back, lo, hi, line, ld);
  for (int j = 0; j < columns; ++j) CHECK(line[j] == -((rows - 1) * 1000.0 + j));
  CHECK(DRA_Delete(d) == 0);
  CHECK(access(file, F_OK) != 0 && access(other, F_OK) != 0);
  GA_Destroy(g);
  GA_Destroy(back);
}

/* Integers, dealt blocks, and a pattern of the existing programs: columns in turn. */
static void dealt(char* file) {
  int dims[2] = {60, 50}, block[2] = {7, 8}, d, requests[5], type, ndim;
  dra_size_t extents[2] = {50, 60}, usual[2] = {-1, 10}, found[2];
  char name[100], path[600];
  int g = GA_Create_handle();
  int buffer[60 * 50];
  int lo[2] = {0, 0}, hi[2] = {59, 49}, ld[1] = {50};
  GA_Set_data(g, 2, dims, C_INT);
  GA_Set_array_name(g, "dealt");
  GA_Set_block_cyclic(g, block);
  CHECK(GA_Allocate(g) != 0);
  for (int i = 0; i < 60 * 50; ++i) buffer[i] = i;
  if (me == 0) NGA_Put(g, lo, hi, buffer, ld);
  DRA_Set_default_config(1, 2);
  CHECK(NDRA_Create(C_INT, 2, extents, "turned", file, DRA_RW, usual, &d) == 0);
  for (int c = 0; c < 5; ++c) {
    int from[2] = {12 * c, 0}, to[2] = {12 * c + 11, 49};
    dra_size_t begin[2] = {0, 12 * c}, end[2] = {49, 12 * c + 11};
    CHECK(NDRA_Write_section(1, g, from, to, d, begin, end, &requests[c]) == 0);
  }
  for (int c = 0; c < 5; ++c) wait_for(requests[c]);
  CHECK(NDRA_Inquire(d, &type, &ndim, found, name, path) == 0);
  CHECK(type == C_INT && ndim == 2 && found[0] == 50 && found[1] == 60);
  CHECK(DRA_Close(d) == 0);
  GA_Zero(g);
  CHECK(DRA_Open(file, DRA_R, &d) == 0);
  {
    dra_size_t begin[2] = {0, 0}, end[2] = {49, 59};
    CHECK(NDRA_Read_section(1, g, lo, hi, d, begin, end, &requests[0]) == 0);
    wait_for(requests[0]);
  }
  memset(buffer, 0, sizeof buffer);
  NGA_Get(g, lo, hi, buffer, ld);
  for (int i = 0; i < 60 * 50; ++i) CHECK(buffer[i] == i);
  CHECK(DRA_Delete(d) == 0);
  GA_Destroy(g);
}

/* A file that one process cannot open is open nowhere. */
static void not_open_everywhere(char* file) {
  struct rlimit usual, none;
  int d;
  if (count == 1) return;
  CHECK(getrlimit(RLIMIT_NOFILE, &usual) == 0);
  none = usual;
  none.rlim_cur = 0;
  if (me == count - 1) CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
  CHECK(DRA_Open(file, DRA_R, &d) == -1);
  CHECK(setrlimit(RLIMIT_NOFILE, &usual) == 0);
}

int main(int argc, char** argv) {
  char folder[] = "/tmp/ga_disk_XXXXXX", file[200];
  MPI_Init(&argc, &argv);
  GA_Initialize();
  me = GA_Nodeid();
  count = GA_Nnodes();
  make_folder(folder);
  CHECK(DRA_Init(10, 1e6, 1e9, 1e6) == 0);
  /* Names that differ by process: that of the first one counts. */
  snprintf(file, sizeof file, "%s/%d.dra", folder, me);
  whole_arrays(file);
  if (me != 0) snprintf(file, sizeof file, "%s/0.dra", folder);
  not_open_everywhere(file);
  sections(file);
  in_three_files(file);
  dealt(file);
  CHECK(DRA_Terminate() == 0);
  if (me == 0) CHECK(rmdir(folder) == 0);
  if (me == 0) printf("disk: ok\n");
  GA_Terminate();
  MPI_Finalize();
  return 0;
}
