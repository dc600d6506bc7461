/* SPDX-License-Identifier: Apache-2.0 */
/* Whole arrays between two processes of a node: lists of elements, products, copies, ghost cells, disk
   arrays and memory, against plain loops, the BLAS, MPI and files. */
#include <dirent.h>
#include <dra.h>
#include <fcntl.h>
#include <ga.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { elements = 100000, side = 2000, edge = 100, repetitions = 5, disk_bytes = 64 << 20, piece_bytes = 2 << 20 };

static double one = 1.0, zero = 0.0;

/* Pages that were never written would all be one of zeros, in the cache. */
static double *written(size_t count) {
  double *values = malloc(count * sizeof *values);
  for (size_t i = 0; i < count; ++i) values[i] = 1.0;
  return values;
}

typedef void (*work)(void);

/* Of a call: by the clock, and of this processor, which other programs of a busy machine do not add to. */
typedef struct {
  double wall, busy;
} seconds;

static seconds now(void) {
  struct timespec busy;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &busy);
  return (seconds){MPI_Wtime(), (double)busy.tv_sec + 1e-9 * (double)busy.tv_nsec};
}

/* The least seconds of a call by both processes, or by process 0 only. Those of the processor: of the
   process that needs more. */
static seconds seconds_of(work call, int is_collective) {
  seconds least = {1e9, 1e9};
  for (int r = 0; r < repetitions; ++r) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_collective || GA_Nodeid() == 0) {
      seconds begin = now();
      call();
      seconds end = now();
      if (end.wall - begin.wall < least.wall) least.wall = end.wall - begin.wall;
      if (end.busy - begin.busy < least.busy) least.busy = end.busy - begin.busy;
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (is_collective) MPI_Allreduce(MPI_IN_PLACE, &least.busy, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return least;
}

/* Times divided: below 1 ours is faster. */
static void compare(const char *name, work ours, const char *peer_name, work peer, int is_collective) {
  seconds own = seconds_of(ours, is_collective), other = seconds_of(peer, is_collective);
  if (GA_Nodeid() != 0) return;
  printf("{\"bench\": \"garray\", \"case\": \"%s\", \"microseconds\": %.1f, \"ratio_to_%s\": %.3f, "
         "\"processor_ratio_to_%s\": %.3f}\n",
         name, 1e6 * own.wall, peer_name, own.wall / other.wall, peer_name, own.busy / other.busy);
  fflush(stdout);
}

/* Lists of elements of process 1. */
static int list, *places;
static double *values, *far_values;
static void ga_gather(void) { NGA_Gather_flat(list, values, places, elements); }
static void ga_scatter(void) { NGA_Scatter_flat(list, values, places, elements); }
static void loop_gather(void) {
  for (int i = 0; i < elements; ++i) values[i] = far_values[places[i] - 2 * elements];
}
static void loop_scatter(void) {
  for (int i = 0; i < elements; ++i) far_values[places[i] - 2 * elements] = values[i];
}
static void lists(void) {
  int length = 4 * elements;
  list = NGA_Create(C_DBL, 1, &length, "list", NULL);
  GA_Zero(list);
  places = malloc(elements * sizeof *places);
  values = written(elements);
  far_values = written(2 * elements);
  for (int i = 0; i < elements; ++i) places[i] = 2 * elements + (int)((i * 7919L) % (2 * elements));
  compare("NGA_Gather of 100000", ga_gather, "loop", loop_gather, 0);
  compare("NGA_Scatter of 100000", ga_scatter, "loop", loop_scatter, 0);
  GA_Destroy(list);
}

extern void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
                   const double *, const int *, const double *, const int *, const double *, double *,
                   const int *);

static int make(int rows, int columns, int block) {
  int dims[2] = {rows, columns}, blocks[2] = {block, block}, g = GA_Create_handle();
  GA_Set_data(g, 2, dims, C_DBL);
  if (block > 0) GA_Set_block_cyclic(g, blocks);
  GA_Allocate(g);
  GA_Fill(g, &one);
  return g;
}

static struct {
  char ta, tb;
  int m, n, k, a, b, c;
  double *x;
} product;
static void ga_product(void) {
  GA_Dgemm(product.ta, product.tb, product.m, product.n, product.k, 1.0, product.a, product.b, 0.0, product.c);
}
static void blas_product(void) {
  const int m = product.m, n = product.n, k = product.k;
  double *a = product.x, *b = a + (size_t)m * k, *c = b + (size_t)k * n;
  dgemm_(&product.ta, &product.tb, &m, &n, &k, &one, a, product.ta == 'n' ? &m : &k, b,
         product.tb == 'n' ? &k : &n, &zero, c, &m);
}
static void products(const char *name, char ta, char tb, int m, int n, int k, int block) {
  product.ta = ta, product.tb = tb, product.m = m, product.n = n, product.k = k;
  product.a = ta == 'n' ? make(m, k, block) : make(k, m, block);
  product.b = tb == 'n' ? make(k, n, block) : make(n, k, block);
  product.c = make(m, n, block);
  product.x = written((size_t)m * k + (size_t)k * n + (size_t)m * n);
  seconds own = seconds_of(ga_product, 1), blas = seconds_of(blas_product, 0);
  if (GA_Nodeid() == 0)
    printf("{\"bench\": \"garray\", \"case\": \"GA_Dgemm %s\", \"gflops\": %.1f, \"ratio_to_blas\": %.3f, "
           "\"processor_ratio_to_half_of_blas\": %.3f}\n",
           name, 2e-9 * m * n * k / own.wall, own.wall / blas.wall, 2 * own.busy / blas.busy);
  fflush(stdout);
  free(product.x);
  GA_Destroy(product.a);
  GA_Destroy(product.b);
  GA_Destroy(product.c);
}

/* Each process copies its half. */
static int from, to;
static double *half_a, *half_b;
static void ga_transpose(void) { GA_Transpose(from, to); }
static void ga_copy(void) { GA_Copy(from, to); }
static void half_copy(void) { memcpy(half_b, half_a, (size_t)side * side / 2 * 8); }
static void copies(void) {
  half_a = written((size_t)side * side / 2), half_b = written((size_t)side * side / 2);
  from = make(side, side, 0), to = make(side, side, 0);
  compare("GA_Transpose 2000", ga_transpose, "copy", half_copy, 1);
  GA_Destroy(to);
  to = make(side, side, 128);
  compare("GA_Copy regular to block-cyclic 2000", ga_copy, "copy", half_copy, 1);
  GA_Destroy(from);
  GA_Destroy(to);
  free(half_a);
  free(half_b);
}

/* Operations element by element against plain loops over each process's half. */
enum { half = side * side / 2 };
static int third;
static double *half_c, result;
static void ga_fill(void) { GA_Fill(from, &one); }
static void ga_scale(void) { GA_Scale(from, &one); }
static void ga_add(void) { GA_Add(&one, from, &one, to, third); }
static void ga_multiply(void) { GA_Elem_multiply(from, to, third); }
static void ga_divide(void) { GA_Elem_divide(from, to, third); }
static void ga_maximum(void) { GA_Elem_maximum(from, to, third); }
static void ga_absolute(void) { GA_Abs_value(from); }
static void ga_dot(void) { result = GA_Ddot(from, to); }
static void ga_norm(void) { GA_Norm1(from, &result); }
static void ga_symmetrize(void) { GA_Symmetrize(from); }
static void loop_fill(void) {
  for (int i = 0; i < half; ++i) half_a[i] = one;
}
static void loop_scale(void) {
  for (int i = 0; i < half; ++i) half_a[i] *= one;
}
static void loop_add(void) {
  for (int i = 0; i < half; ++i) half_c[i] = one * half_a[i] + one * half_b[i];
}
static void loop_divide(void) {
  for (int i = 0; i < half; ++i) half_c[i] = half_a[i] / half_b[i];
}
static void loop_maximum(void) {
  for (int i = 0; i < half; ++i) half_c[i] = half_a[i] < half_b[i] ? half_b[i] : half_a[i];
}
static void loop_absolute(void) {
  for (int i = 0; i < half; ++i) half_a[i] = half_a[i] < 0 ? -half_a[i] : half_a[i];
}
static void loop_dot(void) {
  double sum = 0;
  for (int i = 0; i < half; ++i) sum += half_a[i] * half_b[i];
  result = sum;
}
static void elementwise(void) {
  half_a = written(half), half_b = written(half), half_c = written(half);
  from = make(side, side, 0), to = make(side, side, 0), third = make(side, side, 0);
  compare("GA_Fill", ga_fill, "loop", loop_fill, 1);
  compare("GA_Scale", ga_scale, "loop", loop_scale, 1);
  compare("GA_Add", ga_add, "loop", loop_add, 1);
  compare("GA_Elem_multiply", ga_multiply, "loop", loop_add, 1);
  compare("GA_Elem_divide", ga_divide, "loop", loop_divide, 1);
  compare("GA_Elem_maximum", ga_maximum, "loop", loop_maximum, 1);
  compare("GA_Abs_value", ga_absolute, "loop", loop_absolute, 1);
  compare("GA_Ddot", ga_dot, "loop", loop_dot, 1);
  compare("GA_Norm1", ga_norm, "loop", loop_dot, 1);
  compare("GA_Symmetrize", ga_symmetrize, "loop", loop_add, 1);
  free(half_a), free(half_b), free(half_c);
  GA_Destroy(from), GA_Destroy(to), GA_Destroy(third);
}

/* Blocks of 100^3 with a cell around them, faces only. */
static int halo;
static MPI_Comm torus;
static MPI_Datatype inner[6], outer[6];
static double *cells;
static void ga_update(void) { GA_Update_ghosts(halo); }
static void mpi_update(void) {
  static const int counts[6] = {1, 1, 1, 1, 1, 1};
  static const MPI_Aint begins[6];
  MPI_Neighbor_alltoallw(cells, counts, begins, inner, cells, counts, begins, outer, torus);
}
static void ghosts(void) {
  int dims[3] = {2 * edge, edge, edge}, chunk[3] = {edge, edge, edge}, width[3] = {1, 1, 1};
  int grid[3] = {2, 1, 1}, periods[3] = {1, 1, 1}, padded[3] = {edge + 2, edge + 2, edge + 2};
  halo = NGA_Create_ghosts(C_DBL, 3, dims, width, "halo", chunk);
  GA_Set_ghost_corner_flag(halo, 0);
  GA_Fill(halo, &one);
  cells = calloc((size_t)padded[0] * padded[1] * padded[2], 8);
  MPI_Cart_create(MPI_COMM_WORLD, 3, grid, periods, 0, &torus);
  for (int face = 0; face < 6; ++face) {
    int extent[3] = {edge, edge, edge}, begin[3] = {1, 1, 1};
    extent[face / 2] = 1;
    begin[face / 2] = face % 2 == 0 ? 1 : edge;
    MPI_Type_create_subarray(3, padded, extent, begin, MPI_ORDER_C, MPI_DOUBLE, &inner[face]);
    begin[face / 2] = face % 2 == 0 ? 0 : edge + 1;
    MPI_Type_create_subarray(3, padded, extent, begin, MPI_ORDER_C, MPI_DOUBLE, &outer[face]);
    MPI_Type_commit(&inner[face]);
    MPI_Type_commit(&outer[face]);
  }
  compare("GA_Update_ghosts of 100^3", ga_update, "mpi", mpi_update, 1);
  for (int face = 0; face < 6; ++face) MPI_Type_free(&inner[face]), MPI_Type_free(&outer[face]);
  MPI_Comm_free(&torus);
  free(cells);
  GA_Destroy(halo);
}

/* A file of each process, in pieces as dd has them. */
static int stored, disk, disk_files;
static char path[64];
static char *piece;
static void wait_for(int failed, int request) {
  if (failed || DRA_Wait(request) != 0) GA_Error("disk array", 1);
}
static void dra_write(void) {
  int request, failed = NDRA_Write(stored, disk, &request);
  wait_for(failed, request);
}
static void dra_read(void) {
  int request, failed = NDRA_Read(stored, disk, &request);
  wait_for(failed, request);
}
/* Half of the bytes by each process: of the same file, or each of its own. */
static void plain_pieces(int is_write) {
  int file = open(path, is_write ? O_RDWR | O_CREAT : O_RDONLY, 0600);
  for (long at = 0; at < disk_bytes / 2; at += piece_bytes) {
    long place = disk_files == 1 ? 2 * at + GA_Nodeid() * (long)piece_bytes : at;
    if ((is_write ? pwrite(file, piece, piece_bytes, place) : pread(file, piece, piece_bytes, place)) != piece_bytes)
      GA_Error("file", 1);
  }
  close(file);
}
static void plain_write(void) { plain_pieces(1); }
static void plain_read(void) { plain_pieces(0); }
static void disks(int files) {
  dra_size_t dims[2] = {disk_bytes / 8 / 1024, 1024}, request[2] = {-1, -1};
  int pid = (int)getpid();
  char name[64];
  disk_files = files;
  GA_Brdcst(&pid, sizeof pid, 0);
  snprintf(name, sizeof name, "bench_dra_%d", pid);
  snprintf(path, sizeof path, "bench_file_%d_%d", pid, files == 1 ? 0 : GA_Nodeid());
  piece = calloc(1, piece_bytes);
  stored = make((int)dims[0], 1024, 0);
  DRA_Init(-1, -1, -1, -1);
  DRA_Set_default_config(files, 2);
  if (NDRA_Create(C_DBL, 2, dims, "bench", name, DRA_RW, request, &disk) != 0) GA_Error("disk array", 1);
  compare(files == 1 ? "NDRA_Write of 64 MiB" : "NDRA_Write of 64 MiB, 2 files", dra_write, "file", plain_write, 1);
  compare(files == 1 ? "NDRA_Read of 64 MiB" : "NDRA_Read of 64 MiB, 2 files", dra_read, "file", plain_read, 1);
  DRA_Delete(disk);
  DRA_Terminate();
  GA_Sync();
  unlink(path);
  free(piece);
  GA_Destroy(stored);
}

static long resident_bytes(void) {
  long pages = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
  fclose(file);
  return resident * sysconf(_SC_PAGESIZE);
}
static int entries(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/fd");
  while (readdir(folder) != NULL) ++count;
  closedir(folder);
  FILE *maps = fopen("/proc/self/maps", "r");
  for (int c; (c = fgetc(maps)) != EOF;) count += c == '\n';
  fclose(maps);
  return count;
}
static void memory(void) {
  enum { many = 2000, bytes = 64 << 20 };
  static int handles[many];
  int length = bytes / 4, few = 16;
  long before = resident_bytes();
  int g = NGA_Create(C_DBL, 1, &length, "large", NULL);
  GA_Fill(g, &one);
  long beyond = resident_bytes() - before - bytes;
  int files = entries();
  for (int k = 0; k < many; ++k) handles[k] = NGA_Create(C_DBL, 1, &few, "small", NULL);
  files = entries() - files;
  for (int k = 0; k < many; ++k) GA_Destroy(handles[k]);
  GA_Destroy(g);
  if (GA_Nodeid() == 0)
    printf("{\"bench\": \"garray\", \"case\": \"memory\", \"kib_beyond_64_mib\": %ld, "
           "\"files_and_mappings_of_2000_arrays\": %d}\n",
           beyond / 1024, files);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  GA_Initialize();
  if (GA_Nnodes() != 2) GA_Error("run it in 2 processes", 1);
  memory();
  lists();
  copies();
  elementwise();
  ghosts();
  disks(1);
  disks(2);
  products("2048 transposed", 't', 'n', 2048, 2048, 2048, 0);
  products("4096 x 512 x 1024", 'n', 'n', 4096, 512, 1024, 0);
  products("2048 block-cyclic by 128", 'n', 'n', 2048, 2048, 2048, 128);
  GA_Terminate();
  MPI_Finalize();
  return 0;
}
