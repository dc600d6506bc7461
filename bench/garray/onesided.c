/* SPDX-License-Identifier: Apache-2.0 */
/* One-sided transfers of global arrays between two processes of a node, against plain MPI and copies. */
#include <ga.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_bytes = 16 << 20, side = 1500, repetitions = 5 };

static int array, matrix, counter, first; /* process 1 holds `array` from here on */
static int row_lo[2], row_hi[2];                /* and of `matrix` */
static MPI_Win window;
static char *near_memory, *far_copy; /* the caller's; a plain copy of the far memory */
static double* peer_base;            /* of the window at process 1, for plain copies */
static double one = 1.0;
static const char* bench = "garray"; /* or garray_nodes */

typedef void (*work)(long bytes);

static void ga_get(long bytes) {
  int lo = first, hi = first + (int)(bytes / 8) - 1, ld = 1;
  NGA_Get(array, &lo, &hi, near_memory, &ld);
}
static void ga_put(long bytes) {
  int lo = first, hi = first + (int)(bytes / 8) - 1, ld = 1;
  NGA_Put(array, &lo, &hi, near_memory, &ld);
}
static void ga_acc(long bytes) {
  int lo = first, hi = first + (int)(bytes / 8) - 1, ld = 1;
  NGA_Acc(array, &lo, &hi, near_memory, &ld, &one);
}
static void mpi_get(long bytes) {
  MPI_Get(near_memory, (int)(bytes / 8), MPI_DOUBLE, 1, 0, (int)(bytes / 8), MPI_DOUBLE, window);
  MPI_Win_flush(1, window);
}
static void mpi_put(long bytes) {
  MPI_Put(near_memory, (int)(bytes / 8), MPI_DOUBLE, 1, 0, (int)(bytes / 8), MPI_DOUBLE, window);
  MPI_Win_flush(1, window);
}
static void mpi_acc(long bytes) {
  MPI_Accumulate(near_memory, (int)(bytes / 8), MPI_DOUBLE, 1, 0, (int)(bytes / 8), MPI_DOUBLE, MPI_SUM,
                 window);
  MPI_Win_flush(1, window);
}
static void copy_in(long bytes) { memcpy(near_memory, far_copy, (size_t)bytes); }
static void copy_out(long bytes) { memcpy(far_copy, near_memory, (size_t)bytes); }
static void add_out(long bytes) {
  double *y = (double*)far_copy, *x = (double*)near_memory;
  for (long i = 0; i < bytes / 8; ++i) y[i] += one * x[i];
}

/* A square patch of this many bytes, and the same by hand from a matrix with rows as long. */
static void ga_patch(long bytes) {
  int n = 1, lo[2], hi[2], ld[1];
  while ((long)(n + 1) * (n + 1) * 8 <= bytes) ++n;
  lo[0] = row_lo[0], lo[1] = 3, hi[0] = lo[0] + n - 1, hi[1] = lo[1] + n - 1, ld[0] = n;
  NGA_Get(matrix, lo, hi, near_memory, ld);
}
static void copy_patch(long bytes) {
  int n = 1;
  while ((long)(n + 1) * (n + 1) * 8 <= bytes) ++n;
  for (int i = 0; i < n; ++i)
    memcpy(near_memory + (size_t)i * n * 8, far_copy + ((size_t)i * side + 3) * 8, (size_t)n * 8);
}

static void ga_inc(long bytes) {
  int at = 0;
  (void)bytes;
  (void)NGA_Read_inc(counter, &at, 1);
}
static void mpi_inc(long bytes) {
  long increment = 1, old;
  (void)bytes;
  MPI_Fetch_and_op(&increment, &old, MPI_LONG, 1, 0, MPI_SUM, window);
  MPI_Win_flush(1, window);
}
static void ga_sync(long bytes) { (void)bytes, GA_Sync(); }
static void mpi_sync(long bytes) { (void)bytes, MPI_Barrier(MPI_COMM_WORLD); }
static void ga_sum(long bytes) { GA_Dgop((double*)near_memory, (int)(bytes / 8), "+"); }
static void mpi_sum(long bytes) {
  MPI_Allreduce(MPI_IN_PLACE, near_memory, (int)(bytes / 8), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void ga_create(long bytes) {
  int dims[1] = {(int)(bytes / 8)};
  GA_Destroy(NGA_Create(C_DBL, 1, dims, "small", NULL));
}

/* The least seconds of one call. Collective ones are timed by both processes. */
static double seconds_of(work call, long bytes, int is_collective) {
  double least = 1e9;
  long count = 20000000L / (bytes + 2000);
  if (count < 3) count = 3;
  for (int r = 0; r < repetitions; ++r) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_collective || GA_Nodeid() == 0) {
      double begin = MPI_Wtime();
      for (long i = 0; i < count; ++i) call(bytes);
      double seconds = (MPI_Wtime() - begin) / (double)count;
      if (seconds < least) least = seconds;
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return least;
}

static void compare(const char* name, long bytes, work ours, work mpi, work plain, int is_collective) {
  double seconds = seconds_of(ours, bytes, is_collective);
  double peer = mpi ? seconds_of(mpi, bytes, is_collective) : 0;
  double copy = plain ? seconds_of(plain, bytes, is_collective) : 0;
  if (GA_Nodeid() != 0) return;
  printf("{\"bench\": \"%s\", \"case\": \"%s %ld bytes\", \"microseconds\": %.3f", bench, name, bytes,
         1e6 * seconds);
  if (mpi) printf(", \"ratio_to_mpi\": %.3f", seconds / peer);
  if (plain) printf(", \"ratio_to_copy\": %.3f", seconds / copy);
  printf("}\n");
  fflush(stdout);
}

/* The mean of one call while process 1 computes and calls nothing. */
static double busy_seconds_of(work call, long bytes) {
  const double length = 0.5;
  double mean = 0, begin, sum = 1.0;
  long count = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  begin = MPI_Wtime();
  if (GA_Nodeid() == 0) {
    for (; count < 3 || MPI_Wtime() - begin < 0.6 * length; ++count) call(bytes);
    mean = (MPI_Wtime() - begin) / (double)count;
  } else {
    while (MPI_Wtime() - begin < length)
      for (int i = 0; i < 1000; ++i) sum = sum * 0.999 + 1.0;
    if (sum < 0) printf("%f\n", sum);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return mean;
}

static void compare_busy(const char* name, long bytes, work ours, work mpi) {
  double seconds = busy_seconds_of(ours, bytes), peer = busy_seconds_of(mpi, bytes);
  if (GA_Nodeid() != 0) return;
  printf("{\"bench\": \"%s\", \"case\": \"%s %ld bytes, the other computes\", \"microseconds\": %.3f, "
         "\"ratio_to_mpi\": %.3f}\n",
         bench, name, bytes, 1e6 * seconds, seconds / peer);
  fflush(stdout);
}

extern void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
                   const double*, const int*, const double*, const int*, const double*, double*,
                   const int*);

static void products(int n) {
  int dims[2] = {n, n};
  int a = NGA_Create(C_DBL, 2, dims, "a", NULL), b = GA_Duplicate(a, "b"), c = GA_Duplicate(a, "c");
  double zero = 0.0, least = 1e9, blas = 1e9;
  GA_Fill(a, &one);
  GA_Fill(b, &one);
  for (int r = 0; r < repetitions; ++r) {
    GA_Sync();
    double begin = MPI_Wtime();
    GA_Dgemm('n', 'n', n, n, n, 1.0, a, b, 0.0, c);
    double seconds = MPI_Wtime() - begin;
    if (seconds < least) least = seconds;
  }
  if (GA_Nodeid() == 0) {
    double* x = calloc(3 * (size_t)n * n, sizeof *x);
    for (int r = 0; r < 3; ++r) {
      double begin = MPI_Wtime();
      dgemm_("n", "n", &n, &n, &n, &one, x, &n, x + (size_t)n * n, &n, &zero, x + 2 * (size_t)n * n, &n);
      double seconds = MPI_Wtime() - begin;
      if (seconds < blas) blas = seconds;
    }
    free(x);
    printf("{\"bench\": \"%s\", \"case\": \"GA_Dgemm %d\", \"gflops\": %.1f, \"ratio_to_blas\": %.3f}\n",
           bench, n, 2e-9 * n * n * n / least, least / blas);
  }
  GA_Destroy(a);
  GA_Destroy(b);
  GA_Destroy(c);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  GA_Initialize();
  if (GA_Cluster_nnodes() == 2) bench = "garray_nodes";
  if (GA_Nnodes() != 2) GA_Error("run it in 2 processes", 1);
  int length = 2 * (most_bytes / 8), square[2] = {2 * side, side}, chunk[2] = {side, side}, hi, few = 1;
  array = NGA_Create(C_DBL, 1, &length, "array", NULL);
  matrix = NGA_Create(C_DBL, 2, square, "matrix", chunk);
  counter = NGA_Create(C_LONG, 1, &few, "counter", NULL);
  GA_Zero(array);
  GA_Zero(matrix);
  GA_Zero(counter);
  NGA_Distribution(array, 1, &first, &hi);
  NGA_Distribution(matrix, 1, row_lo, row_hi);
  near_memory = calloc(1, most_bytes);
  far_copy = calloc(1, (size_t)side * side * 8 > most_bytes ? (size_t)side * side * 8 : most_bytes);
  MPI_Win_allocate(most_bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &peer_base, &window);
  memset(peer_base, 0, most_bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  for (long bytes = 8; bytes <= most_bytes; bytes = bytes == 8 ? 1024 : bytes * 16) {
    compare("NGA_Get", bytes, ga_get, mpi_get, copy_in, 0);
    compare("NGA_Put", bytes, ga_put, mpi_put, copy_out, 0);
    compare("NGA_Acc", bytes, ga_acc, mpi_acc, add_out, 0);
    if (bytes >= 1024 && bytes <= 1 << 20) compare("NGA_Get of a patch", bytes, ga_patch, NULL, copy_patch, 0);
  }
  compare("NGA_Read_inc", 8, ga_inc, mpi_inc, NULL, 0);
  compare_busy("NGA_Get", 8, ga_get, mpi_get);
  compare_busy("NGA_Get", 256 << 10, ga_get, mpi_get);
  compare("GA_Sync", 0, ga_sync, mpi_sync, NULL, 1);
  compare("GA_Dgop", 8, ga_sum, mpi_sum, NULL, 1);
  compare("GA_Dgop", 80000, ga_sum, mpi_sum, NULL, 1);
  compare("NGA_Create and GA_Destroy", 800, ga_create, NULL, NULL, 1);
  products(2048);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  GA_Destroy(array);
  GA_Destroy(matrix);
  GA_Destroy(counter);
  GA_Terminate();
  MPI_Finalize();
  return 0;
}
