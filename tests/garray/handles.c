/* SPDX-License-Identifier: Apache-2.0 */
/* From a handle to an array, one property after the other. */
#include "check.h"

enum { rows = 8, columns = 6 };

static int described(void) {
  int dims[2] = {rows, columns};
  const int g = GA_Create_handle();
  GA_Set_data(g, 2, dims, C_DBL);
  return g;
}

/* Its group is the default one of the moment when it gets memory, its own or that of another array. */
static void check_group(void) {
  int dims[2] = {rows, columns}, list[1] = {GA_Nnodes() - 1};
  const int last = GA_Pgroup_create(list, 1), own = GA_Create_handle(), guest = described();
  CHECK(GA_Get_pgroup(own) == -2);
  if (GA_Nodeid() == list[0]) {
    GA_Pgroup_set_default(last);
    GA_Set_data(own, 2, dims, C_DBL);
    CHECK(GA_Allocate(own) == 1);
    CHECK(GA_Get_pgroup(own) == last);
    GA_Zero(own);
    CHECK(GA_Overlay(guest, own) == 1);
    CHECK(GA_Get_pgroup(guest) == last);
    CHECK(GA_Ddot(guest, guest) == 0);
    GA_Pgroup_set_default(-1);
  }
  GA_Destroy(guest);
  GA_Destroy(own);
  if (GA_Nodeid() == list[0]) GA_Pgroup_destroy(last);
  GA_Sync();
}

/* Groups of the same processes may share memory. */
static void check_twin_group(void) {
  int list[64];
  for (int r = 0; r < GA_Nnodes(); ++r) list[r] = r;
  const int all = GA_Pgroup_create(list, GA_Nnodes()), host = described(), guest = described();
  double two = 2;
  CHECK(GA_Allocate(host) == 1);
  GA_Fill(host, &two);
  GA_Set_pgroup(guest, all);
  CHECK(GA_Overlay(guest, host) == 1);
  CHECK(GA_Ddot(guest, guest) == 4 * rows * columns);
  GA_Destroy(guest);
  GA_Destroy(host);
  GA_Pgroup_destroy(all);
}

/* Least edges are for regular arrays: others stay as they were laid out. */
static void check_chunks(void) {
  int block[2] = {4, 3}, chunk[2] = {2, 2}, one[2] = {1, 1}, map[2] = {0, 0}, lo[2], hi[2];
  for (int is_late = 0; is_late < 2; ++is_late) {
    const int dealt = described(), irregular = described();
    if (!is_late) GA_Set_chunk(dealt, chunk), GA_Set_chunk(irregular, chunk);
    GA_Set_block_cyclic(dealt, block);
    GA_Set_irreg_distr(irregular, map, one);
    if (is_late) GA_Set_chunk(dealt, chunk), GA_Set_chunk(irregular, chunk);
    CHECK(GA_Allocate(dealt) == 1 && GA_Allocate(irregular) == 1);
    CHECK(GA_Total_blocks(dealt) == 4);
    NGA_Distribution(irregular, 0, lo, hi);
    CHECK(hi[0] == rows - 1 && hi[1] == columns - 1);
    GA_Destroy(irregular);
    GA_Destroy(dealt);
  }
}

/* A duplicate keeps the corners of its ghost cells if the array does. */
static void check_corners(void) {
  int width[2] = {1, 1}, extents[2], ld[1], lo[2], hi[2];
  double one = 1, *cells;
  const int g = described();
  GA_Set_ghosts(g, width);
  CHECK(GA_Allocate(g) == 1);
  GA_Set_ghost_corner_flag(g, 0);
  const int twin = GA_Duplicate(g, "twin");
  NGA_Distribution(twin, GA_Nodeid(), lo, hi);
  const int has_cells = hi[0] >= lo[0];
  GA_Fill(twin, &one);
  NGA_Access_ghosts(twin, extents, &cells, ld);
  if (has_cells) cells[0] = cells[1] = 77;
  NGA_Release_update_ghosts(twin);
  GA_Update_ghosts(twin);
  if (has_cells) CHECK(cells[0] == 77 && cells[1] == 1);
  GA_Sync();
  GA_Destroy(twin);
  GA_Destroy(g);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  GA_Initialize();
  check_group();
  check_twin_group();
  check_chunks();
  check_corners();
  if (GA_Nodeid() == 0) puts("all is well");
  GA_Terminate();
  MPI_Finalize();
  return 0;
}
