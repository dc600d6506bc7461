/* SPDX-License-Identifier: Apache-2.0 */
/* Mistakes, one of which ends the job: misuse CASE. Without a case the list of them is printed, with what
   the message must hold. Run by check_misuse.py. */
#include <string.h>
#include <tcgmsg.h>

#include "check.h"

static int a, b, small, ints, line; /* 12 x 10 doubles twice, 5 x 5, 12 x 10 ints, 20 doubles */
static double buffer[400];
static double one = 1.0;
static int lo[7], hi[7] = {3, 3}, ld[7] = {4};

static int made(int type, int axes, int first, int second, const char *name) {
  int dims[2] = {first, second};
  return NGA_Create(type, axes, dims, (char *)name, NULL);
}

static void dead_handle(void) { GA_Destroy(b), NGA_Get(b, lo, hi, buffer, ld); }
static void no_handle(void) { GA_Zero(0); }
static void positive_handle(void) { GA_Ddot(7, a); }
static void unknown_handle(void) { GA_Fill(-77777, &one); }
static void destroyed_twice(void) { GA_Destroy(b), GA_Destroy(b); }
static void not_allocated(void) {
  int dims[1] = {10}, g = GA_Create_handle();
  GA_Set_data(g, 1, dims, C_DBL);
  GA_Zero(g);
}
static void allocated_twice(void) { GA_Allocate(a); }
static void hi_before_lo(void) { lo[1] = 5, NGA_Get(a, lo, hi, buffer, ld); }
static void lo_negative(void) { lo[0] = -1, NGA_Put(a, lo, hi, buffer, ld); }
static void hi_beyond(void) { hi[0] = 12, NGA_Acc(a, lo, hi, buffer, ld, &one); }
static void ld_too_small(void) { ld[0] = 3, NGA_Put(a, lo, hi, buffer, ld); }
static void at_one_process(void) {
  hi[1] = 10;
  if (GA_Nodeid() == GA_Nnodes() - 1) NGA_Get(a, lo, hi, buffer, ld);
  GA_Sync();
}
static void product_of_other_type(void) { GA_Sgemm('n', 'n', 5, 5, 5, 1, a, b, 0, small); }
static void product_too_large(void) { GA_Dgemm('n', 'n', 5, 5, 13, 1, a, b, 0, small); }
static void product_of_line(void) { GA_Dgemm('n', 'n', 5, 5, 5, 1, line, b, 0, small); }
static void sum_of_other_shape(void) { GA_Add(&one, a, &one, small, b); }
static void sum_of_other_type(void) { GA_Add(&one, a, &one, ints, b); }
static void copy_of_other_shape(void) { GA_Copy(a, small); }
static void copy_of_other_count(void) {
  int to[2] = {3, 4};
  NGA_Copy_patch('n', a, lo, hi, b, lo, to);
}
static void copy_onto_itself(void) {
  int from[2] = {1, 1}, to[2] = {4, 4};
  NGA_Copy_patch('n', a, lo, hi, a, from, to);
}
static void dot_of_other_type(void) { GA_Idot(a, b); }
static void dot_of_two_types(void) { GA_Ddot(a, ints); }
static void patch_beyond(void) { hi[1] = 30, NGA_Fill_patch(a, lo, hi, &one); }
static void no_mutexes(void) { GA_Lock(0); }
static void mutex_beyond(void) { GA_Create_mutexes(3), GA_Lock(3); }
static void mutex_not_locked(void) { GA_Create_mutexes(3), GA_Unlock(1); }
static void mutexes_twice(void) { GA_Create_mutexes(3), GA_Create_mutexes(3); }
static void unknown_group(void) { GA_Pgroup_sync(99); }
static void group_of_strangers(void) {
  int list[2] = {0, 4000};
  GA_Pgroup_create(list, 2);
}
static void group_of_one_twice(void) {
  int list[2] = {0, 0};
  GA_Pgroup_create(list, 2);
}
static void group_in_use(void) {
  int list[1] = {GA_Nodeid()}, dims[1] = {4}, group = GA_Pgroup_create(list, 1);
  NGA_Create_config(C_DBL, 1, dims, "of one", NULL, group);
  GA_Pgroup_destroy(group);
}
static void access_to_others(void) {
  double *data;
  hi[0] = 11, hi[1] = 9;
  NGA_Access(a, lo, hi, &data, ld);
}
static void block_beyond(void) {
  double *data;
  NGA_Access_block(a, 5000, &data, ld);
}
static void counter_of_doubles(void) { NGA_Read_inc(a, lo, 1); }
static void counter_outside(void) { lo[1] = 10, NGA_Read_inc(ints, lo, 1); }
static void scatter_outside(void) {
  int places[4] = {0, 0, 12, 0};
  NGA_Scatter_flat(a, buffer, places, 2);
}
static void gather_negative(void) { NGA_Gather_flat(a, buffer, lo, -1); }
static void no_axes(void) { made(C_DBL, 0, 1, 1, "none"); }
static void eight_axes(void) {
  int dims[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  NGA_Create(C_DBL, 8, dims, "eight", NULL);
}
static void no_extent(void) { made(C_DBL, 2, 4, 0, "empty"); }
static void too_large(void) {
  int dims[3] = {1 << 30, 1 << 30, 7};
  NGA_Create(C_DBL, 3, dims, "huge", NULL);
}
static void unknown_type(void) { made(999, 1, 4, 0, "odd"); }
static void too_many_blocks(void) {
  int dims[1] = {90}, block[1] = {90}, map[90];
  for (int k = 0; k < 90; ++k) map[k] = k;
  NGA_Create_irreg(C_DBL, 1, dims, "cut", block, map);
}
static void grid_of_others(void) {
  int dims[2] = {8, 8}, block[2] = {2, 2}, grid[2] = {90, 1}, g = GA_Create_handle();
  GA_Set_data(g, 2, dims, C_DBL);
  GA_Set_block_cyclic_proc_grid(g, block, grid);
  GA_Allocate(g);
}
static void restricted_to_strangers(void) {
  int dims[1] = {8}, list[1] = {3000}, g = GA_Create_handle();
  GA_Set_data(g, 1, dims, C_DBL);
  GA_Set_restricted(g, list, 1);
  GA_Allocate(g);
}
static void other_collective(void) { GA_Nodeid() == 0 ? GA_Sync() : GA_Zero(a); }
static void other_array(void) { GA_Zero(GA_Nodeid() == 0 ? a : b); }
static void unknown_operation(void) { GA_Dgop(buffer, 1, "?"); }
static void root_beyond(void) { GA_Brdcst(buffer, 8, 500); }
static void divided_by_zero(void) { GA_Zero(b), GA_Elem_divide(a, b, a); }
static void step_from_negative(void) {
  double minus = -1;
  GA_Fill(a, &minus), GA_Step_max(a, b, buffer);
}
static void skipped_by_none(void) {
  int skip[2] = {1, 0};
  NGA_Strided_get(a, lo, hi, skip, buffer, ld);
}
static void ghosts_of_dealt(void) {
  int dims[2] = {8, 8}, block[2] = {2, 2}, width[2] = {1, 1}, g = GA_Create_handle();
  GA_Set_data(g, 2, dims, C_DBL);
  GA_Set_block_cyclic(g, block);
  GA_Set_ghosts(g, width);
  GA_Allocate(g);
}
static void transpose_of_other_shape(void) { GA_Transpose(a, b); }
static void symmetrize_a_rectangle(void) { GA_Symmetrize(a); }
static void solve_a_rectangle(void) { GA_Lu_solve('n', a, line); }
static void write_read_only(void) {
  GA_Set_property(a, "read_only");
  NGA_Put(a, lo, hi, buffer, ld);
}
static void scatter_read_only(void) {
  int *place[1] = {lo};
  GA_Set_property(a, "read_only");
  NGA_Scatter(a, buffer, place, 1);
}
static void scatter_acc_read_only(void) {
  int *place[1] = {lo};
  GA_Set_property(a, "read_only");
  NGA_Scatter_acc(a, buffer, place, 1, &one);
}
static void count_read_only(void) {
  GA_Set_property(ints, "read_only");
  NGA_Read_inc(ints, lo, 1);
}
static void dot_of_floats_as_ints(void) {
  int floats = made(C_FLOAT, 2, 5, 5, "floats");
  GA_Idot(floats, floats);
}
static void product_of_longs_as_doubles(void) {
  int longs = made(C_LONG, 2, 5, 5, "longs");
  GA_Dgemm('n', 'n', 5, 5, 5, 1, longs, longs, 0, longs);
}
static void print_a_cube_flat(void) {
  int dims[3] = {3, 3, 3};
  GA_Print_patch(NGA_Create(C_DBL, 3, dims, "cube", NULL), 0, 1, 0, 1, 0);
}
void ga_get_(int *g_a, int *ilo, int *ihi, int *jlo, int *jhi, void *buf, int *ld);
static void get_of_a_cube_flat(void) {
  int dims[3] = {3, 3, 3}, cube = NGA_Create(C_DBL, 3, dims, "cube", NULL), first = 1, last = 2;
  ga_get_(&cube, &first, &last, &first, &last, buffer, &last);
}
static void adopt_too_little(void) { GA_Assemble_duplicate(a, "twin", GA_Getmem(C_DBL, 10, 0)); }
/* The last process by itself, and memory of all. */
static int group_of_last(void) {
  int list[1] = {GA_Nnodes() - 1};
  return GA_Pgroup_create(list, 1);
}
static void overlay_of_other_group(void) {
  int dims[1] = {4}, group = group_of_last(), g = GA_Create_handle();
  if (GA_Pgroup_nodeid(group) == 0) {
    GA_Set_data(g, 1, dims, C_DBL);
    GA_Set_pgroup(g, group);
    GA_Overlay(g, a);
  }
  GA_Sync();
}
static void adopt_of_other_group(void) {
  int dims[1] = {4}, group = group_of_last();
  void *memory = GA_Getmem(C_DBL, 8, -1);
  if (GA_Pgroup_nodeid(group) == 0)
    GA_Assemble_duplicate(NGA_Create_config(C_DBL, 1, dims, "of last", NULL, group), "twin", memory);
  GA_Sync();
}
static void chunk_of_nothing(void) { GA_Set_chunk(GA_Create_handle(), lo); }
static void ghosts_of_nothing(void) { GA_Set_ghosts(GA_Create_handle(), lo); }
static void grid_of_nothing(void) { GA_Set_tiled_proc_grid(GA_Create_handle(), hi, hi); }
static void overlay_of_nothing(void) { GA_Overlay(GA_Create_handle(), a); }
static void process_negative(void) { NGA_Distribution(a, -6, lo, hi); }
static void sparse_outside(void) { NGA_Sprs_array_add_element(NGA_Sprs_array_create(4, 4, C_DBL), 4, 0, &one); }
static void sparse_not_assembled(void) { NGA_Sprs_array_scale(NGA_Sprs_array_create(4, 4, C_DBL), &one); }
static void message_negative(void) { tcg_snd(1, buffer, -5, 0, 1); }
static void size_of_unknown(void) { MA_sizeof(MT_C_DBL, 1, 999); }
static void room_for_unknown(void) { MA_init(MT_C_DBL, 100, 100), MA_inquire_avail(999); }
static void after_the_end(void) { GA_Terminate(), GA_Zero(a); }

static const struct {
  const char *name;
  void (*work)(void);
  const char *text; /* of the message */
} cases[] = {
#define CASE(name, text) {#name, name, text}
    CASE(dead_handle, "NGA_Get"),
    CASE(no_handle, "GA_Zero: 0 is not the handle of a live array"),
    CASE(positive_handle, "GA_Ddot: 7 is not the handle"),
    CASE(unknown_handle, "GA_Fill: -77777 is not the handle"),
    CASE(destroyed_twice, "GA_Destroy"),
    CASE(not_allocated, "has no memory yet"),
    CASE(allocated_twice, "has memory already"),
    CASE(hi_before_lo, "hi[1] = 3 is less than lo[1] = 5"),
    CASE(lo_negative, "lo[0] = -1 is outside 0..11"),
    CASE(hi_beyond, "hi[0] = 12 is outside 0..11"),
    CASE(ld_too_small, "ld[0] = 3 is less than the 4 elements"),
    CASE(at_one_process, "hi[1] = 10 is outside 0..9"),
    CASE(product_of_other_type, "another product is for them"),
    CASE(product_too_large, "are asked for"),
    CASE(product_of_line, "GA_Dgemm(\"line\")"),
    CASE(sum_of_other_shape, "GA_Add(\""),
    CASE(sum_of_other_type, "GA_Add(\""),
    CASE(copy_of_other_shape, "GA_Copy(\""),
    CASE(copy_of_other_count, "does not fit"),
    CASE(copy_onto_itself, "overlap"),
    CASE(dot_of_other_type, "another dot product is for them"),
    CASE(dot_of_two_types, "GA_Ddot(\""),
    CASE(patch_beyond, "hi[1] = 30 is outside 0..9"),
    CASE(no_mutexes, "mutex 0 was never made"),
    CASE(mutex_beyond, "GA_Lock"),
    CASE(mutex_not_locked, "GA_Unlock"),
    CASE(mutexes_twice, "mutexes were made already"),
    CASE(unknown_group, "99 is not a processor group"),
    CASE(group_of_strangers, "process 4000 is outside"),
    CASE(group_of_one_twice, "process 0 is in the list twice"),
    CASE(group_in_use, "still has the array \"of one\""),
    CASE(access_to_others, "NGA_Access(\"a\")"),
    CASE(block_beyond, "block 5000 is outside"),
    CASE(counter_of_doubles, "counters are int, long or long long"),
    CASE(counter_outside, "subscript[1] = 10 is outside 0..9"),
    CASE(scatter_outside, "subscript[0] = 12 is outside 0..11"),
    CASE(gather_negative, "n = -1 is less than 0"),
    CASE(no_axes, "NGA_Create"),
    CASE(eight_axes, "NGA_Create"),
    CASE(no_extent, "NGA_Create"),
    CASE(too_large, "NGA_Create(\"huge\")"),
    CASE(unknown_type, "NGA_Create"),
    CASE(too_many_blocks, "NGA_Create_irreg"),
    CASE(grid_of_others, "its grid has 90 processes"),
    CASE(restricted_to_strangers, "3000"),
    CASE(other_collective, "different collective calls"),
    CASE(other_array, "GA_Zero(\""),
    CASE(unknown_operation, "GA_Dgop"),
    CASE(root_beyond, "GA_Brdcst"),
    CASE(divided_by_zero, "GA_Elem_divide"),
    CASE(step_from_negative, "has a negative element"),
    CASE(skipped_by_none, "skip[1] = 0 is less than 1"),
    CASE(ghosts_of_dealt, "ghost cells are for regular and irregular"),
    CASE(transpose_of_other_shape, "the transpose of \"a\""),
    CASE(symmetrize_a_rectangle, "GA_Symmetrize(\"a\")"),
    CASE(solve_a_rectangle, "GA_Lu_solve(\"a\")"),
    CASE(write_read_only, "is read only"),
    CASE(scatter_read_only, "NGA_Scatter(\"a\"): is read only"),
    CASE(scatter_acc_read_only, "NGA_Scatter_acc(\"a\"): is read only"),
    CASE(count_read_only, "NGA_Read_inc(\"ints\"): is read only"),
    CASE(dot_of_floats_as_ints, "has elements of type float: another dot product is for them"),
    CASE(product_of_longs_as_doubles, "has elements of type long: another product is for them"),
    CASE(print_a_cube_flat, "has 3 axes"),
    CASE(get_of_a_cube_flat, "ga_get(\"cube\"): has 3 axes; this call is for two"),
    CASE(adopt_too_little, "bytes here, and ptr is the memory of 80"),
    CASE(overlay_of_other_group, "GA_Overlay(\"\"): is of group 1, but \"a\" of group -1, which has other processes"),
    CASE(adopt_of_other_group, "GA_Assemble_duplicate(\"of last\"): is of group 1, but the memory at ptr of group -1"),
    CASE(chunk_of_nothing, "GA_Set_chunk(\"\"): has no extents and no type yet: GA_Set_data first"),
    CASE(ghosts_of_nothing, "GA_Set_ghosts(\"\"): has no extents"),
    CASE(grid_of_nothing, "GA_Set_tiled_proc_grid(\"\"): has no extents"),
    CASE(overlay_of_nothing, "GA_Overlay(\"\"): has no extents"),
    CASE(process_negative, "-6 is outside"),
    CASE(sparse_outside, "NGA_Sprs_array_add_element"),
    CASE(sparse_not_assembled, "NGA_Sprs_array_scale"),
    CASE(message_negative, "snd: the length is -5"),
    CASE(size_of_unknown, "MA: MA_sizeof: 999 is not a type"),
    CASE(room_for_unknown, "MA: MA_inquire_avail: 999 is not a type"),
    CASE(after_the_end, "GA_Initialize was not called"),
};

int main(int argc, char **argv) {
  const size_t count = sizeof cases / sizeof *cases;
  if (argc < 2) {
    for (size_t k = 0; k < count; ++k) printf("%s\t%s\n", cases[k].name, cases[k].text);
    return 0;
  }
  MPI_Init(&argc, &argv);
  GA_Initialize();
  a = made(C_DBL, 2, 12, 10, "a");
  b = made(C_DBL, 2, 12, 10, "b");
  small = made(C_DBL, 2, 5, 5, "small");
  ints = made(C_INT, 2, 12, 10, "ints");
  line = made(C_DBL, 1, 20, 0, "line");
  GA_Fill(a, &one);
  GA_Fill(b, &one);
  for (size_t k = 0; k < count; ++k)
    if (strcmp(argv[1], cases[k].name) == 0) cases[k].work();
  fprintf(stderr, "nobody complained\n");
  GA_Terminate();
  MPI_Finalize();
  return 0;
}
