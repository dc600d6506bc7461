// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ga_calls.h>

#include <limits>
#include <string>
#include <vector>

#include "blockyard/base/integer.h"
#include "blockyard/ga/ints.h"
#include "blockyard/garray/kind.h"

// What Fortran's calls need besides those of C.
namespace blockyard::ga {

/// Characters of Fortran without the blanks at their end, in memory that can be written to.
[[nodiscard]] std::string trimmed(const char* text, std::size_t length);
/// Fills characters of Fortran, with blanks at the end.
void fill_text(char* to, std::size_t length, const char* text);
/// Makes an index of C one of Fortran if there is one.
inline long counted_from_one(long is_there, long* index) noexcept {
  if (is_there != 0) ++*index;
  return is_there;
}
/// MPI's number of a group's communicator.
[[nodiscard]] int fortran_communicator(int group);

namespace fortran {

/// Fortran's number of a type of C.
[[nodiscard]] int fortran_type(const garray::Kind& kind);

/// (i, j) of lists of rows and columns.
class Pairs {
 public:
  Pairs(Ints i, Ints j, std::int64_t count);
  [[nodiscard]] Ints ints() noexcept { return values_.data(); }

 private:
  std::vector<std::int64_t> values_;
};

/// Throws Error{bad_input} for an array of more than the two axes that the call knows. What is not
/// an array is left to the call.
void require_flat(int g_a);

/// How many elements after the common block of its type memory of an array lies.
[[nodiscard]] long place_of(int g_a, const void* memory);
/// The same for values of a sparse matrix, and for INTEGERs of this width.
[[nodiscard]] long place_in_sparse(int s_a, const void* values);
[[nodiscard]] long place_of_integers(const void* integers, std::size_t width);

/// Bytes as an INTEGER; no limit, which C says with all bits, is -1.
template <class Integer>
[[nodiscard]] Integer counted_bytes(std::size_t bytes) noexcept {
  return bytes == std::numeric_limits<std::size_t>::max() ? -1 : counted<Integer>(bytes);
}

[[nodiscard]] int initialize_comm(int communicator);
/// Random numbers from 0 to 1 that are the same at all processes. seed: 0 continues.
[[nodiscard]] double drand(int seed);
void version(Ints major, Ints minor, Ints patch);
void list_nodeid(Ints list, int count);
[[nodiscard]] int pgroup_create(Ints list, int count);
void igop(int group, Ints values, int count, char* op);

[[nodiscard]] int create(int type, std::int64_t n, std::int64_t m, char* name, std::int64_t chunk1,
                         std::int64_t chunk2);
[[nodiscard]] int create_irreg(int type, std::int64_t n, std::int64_t m, char* name, Ints map1,
                               std::int64_t blocks1, Ints map2, std::int64_t blocks2);
void set_restricted(int g_a, Ints list, int count);
/// Whether the handle was live; if not, nothing happens but that the first such call says so.
[[nodiscard]] bool destroy(int g_a);
void inquire(int g_a, Ints type, Ints n, Ints m);
void inquire_n(int g_a, Ints type, Ints ndim, Ints dims);
void distribution(int g_a, int process, Ints ilo, Ints ihi, Ints jlo, Ints jhi);
/// Whether the element is inside.
[[nodiscard]] bool locate(int g_a, Ints subscript, Ints owner);
/// map(5, count): ilo, ihi, jlo, jhi, owner.
[[nodiscard]] int locate_region(int g_a, std::int64_t ilo, std::int64_t ihi, std::int64_t jlo,
                                std::int64_t jhi, Ints map);
[[nodiscard]] int locate_region_n(int g_a, Ints lo, Ints hi, Ints map, Ints procs);
[[nodiscard]] int locate_num_blocks(int g_a, Ints lo, Ints hi);
/// One number for each axis, from a call that fills a list of int.
void list(int g_a, Ints numbers, void (*call)(int, int*));
void get_block_info(int g_a, Ints blocks, Ints extents);
void proc_index(int g_a, int process, Ints index);
void proc_index_2(int g_a, int process, Ints row, Ints column);

/// A put, and after it one element of another array.
void nbput_notify(int g_a, Ints lo, Ints hi, void* buffer, Ints ld, int g_b, Ints at, void* value,
                  Ints handle);
void sparse_diagonal(int s_a, Ints g_d);
/// The columns of blocks of this process that have elements. count: the list's length, then how
/// many they are.
void sparse_blocks(int s_a, Ints list, Ints count);
[[nodiscard]] int sparse_sketch(int s_a, int rows, Ints g_k, Ints g_w);
/// Indexes from the common blocks of INTEGERs and of the matrix's type; 0: the block has no
/// elements. Row offsets and columns count from 0, as they lie in memory.
template <class Integer>
void sparse_block(int s_a, int column, long* i, long* j, long* v) {
  Integer *offsets = nullptr, *columns = nullptr;
  void* values = nullptr;
  if constexpr (sizeof(Integer) == 8)
    calls::sprs_array_access_col_block(s_a, column, reinterpret_cast<std::int64_t**>(&offsets),
                                       reinterpret_cast<std::int64_t**>(&columns), &values);
  else
    calls::sprs_array_access_col_block(s_a, column, reinterpret_cast<int**>(&offsets),
                                       reinterpret_cast<int**>(&columns), &values);
  *i = offsets == nullptr ? 0 : place_of_integers(offsets, sizeof(Integer));
  *j = columns == nullptr ? 0 : place_of_integers(columns, sizeof(Integer));
  *v = values == nullptr ? 0 : place_in_sparse(s_a, values);
}
/// All eigenvalues and vectors, and how many they are.
void count_and_diag_std(int g_a, int g_v, double* values, Ints count);
[[nodiscard]] std::int64_t idot(int g_a, int g_b);
[[nodiscard]] std::int64_t idot_patch(int g_a, char trans_a, Ints alo, Ints ahi, int g_b,
                                      char trans_b, Ints blo, Ints bhi);
void matmul_patch(char ta, char tb, void* alpha, void* beta, int g_a, Ints alo, Ints ahi, int g_b,
                  Ints blo, Ints bhi, int g_c, Ints clo, Ints chi);

// Values with numbers of bins, counted from 1. g_bin: the values, bin after bin; g_cnt: how many
// each bin has; g_off: how many there are before it. Collective.
void bin_index(int g_bin, int g_cnt, int g_off, Ints values, Ints bins, std::int64_t count,
               int must_sort);
void bin_sorter(int g_bin, int g_cnt, int g_off);
/// A new array (2, processes): the first and the last bin with values at each process; -1: none.
[[nodiscard]] int create_bin_range(int g_bin, int g_cnt, int g_off);

}  // namespace fortran
}  // namespace blockyard::ga
