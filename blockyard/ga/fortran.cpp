// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ga/fortran.h"

#include <fmt/format.h>
#include <macommon.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <utility>

#include "blockyard/ga/create.h"
#include "blockyard/ga/sparse_handles.h"

extern "C" {
// The common blocks of mafdecls.fh, which Fortran's indexes of memory count from.
alignas(64) char mbc_byte_[2];
alignas(64) char mbc_int_[16];
alignas(64) char mbc_log_[16];
alignas(64) float mbc_real_[2];
alignas(64) double mbc_dbl_[2];
alignas(64) float mbc_scpl_[4];
alignas(64) double mbc_dcpl_[4];
}

namespace blockyard::ga {

std::string trimmed(const char* text, std::size_t length) {
  while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\0')) --length;
  return {text, length};
}

void fill_text(char* to, std::size_t length, const char* text) {
  const std::size_t filled = std::min(length, std::strlen(text));
  std::memcpy(to, text, filled);
  std::memset(to + filled, ' ', length - filled);
}

namespace fortran {

namespace {

const void* common_block(int type) {
  switch (type) {
    case MT_F_INT:
      return mbc_int_;
    case MT_F_REAL:
      return mbc_real_;
    case MT_F_DBL:
      return mbc_dbl_;
    case MT_F_SCPL:
      return mbc_scpl_;
    case MT_F_DCPL:
      return mbc_dcpl_;
    default:
      return mbc_byte_;
  }
}

/// 0: not a whole number of elements.
long place_after(int type, const void* memory, std::size_t bytes) {
  const auto distance =
      static_cast<const char*>(memory) - static_cast<const char*>(common_block(type));
  const auto unit = static_cast<std::ptrdiff_t>(bytes);
  return distance % unit == 0 ? distance / unit + 1 : 0;
}

}  // namespace

int fortran_type(const garray::Kind& kind) {
  switch (kind.code) {
    case MT_C_CHAR:
      return MT_F_BYTE;
    case MT_C_FLOAT:
      return MT_F_REAL;
    case MT_C_DBL:
      return MT_F_DBL;
    case MT_C_SCPL:
      return MT_F_SCPL;
    case MT_C_DCPL:
      return MT_F_DCPL;
    default:
      return kind.element && static_cast<int>(kind.bytes) == tongue().integer_bytes ? MT_F_INT
                                                                                    : kind.code;
  }
}

Pairs::Pairs(Ints i, Ints j, std::int64_t count) {
  values_.reserve(static_cast<std::size_t>(2 * std::max<std::int64_t>(0, count)));
  for (std::size_t k = 0; static_cast<std::int64_t>(k) < count; ++k) {
    values_.push_back(i[k]);
    values_.push_back(j[k]);
  }
}

long place_of(int g_a, const void* memory) {
  const Array& array = runtime().array(g_a);
  const long place = place_after(fortran_type(array.kind), memory, array.kind.bytes);
  if (place == 0)
    garray::refuse(array, "lies at no whole number of elements from Fortran's common block");
  return place;
}

long place_in_sparse(int s_a, const void* values) {
  const garray::Kind& kind = assembled(s_a).kind();
  return place_after(fortran_type(kind), values, kind.bytes);
}

long place_of_integers(const void* integers, std::size_t width) {
  return place_after(MT_F_INT, integers, width);
}

double drand(int seed) {
  static std::mt19937_64 source;
  if (seed != 0) source.seed(static_cast<std::uint64_t>(seed));
  return std::uniform_real_distribution<double>(0, 1)(source);
}

void version(Ints major, Ints minor, Ints patch) {
  int numbers[3];
  calls::version(&numbers[0], &numbers[1], &numbers[2]);
  major.set(0, numbers[0]);
  minor.set(0, numbers[1]);
  patch.set(0, numbers[2]);
}

void list_nodeid(Ints list, int count) {
  for (int i = 0; i < count; ++i) list.set(static_cast<std::size_t>(i), i);
}

int pgroup_create(Ints list, int count) {
  std::vector<int> ranks;
  for (int i = 0; i < count; ++i) ranks.push_back(base::to_int(list[static_cast<std::size_t>(i)]));
  return calls::pgroup_create(ranks.data(), count);
}

void igop(int group, Ints values, int count, char* op) {
  if (std::int64_t* wide = values.wide())
    calls::pgroup_lgop(group, wide, count, op);
  else
    calls::pgroup_igop(group, values.narrow(), count, op);
}

int create(int type, std::int64_t n, std::int64_t m, char* name, std::int64_t chunk1,
           std::int64_t chunk2) {
  // In a list of chunks a 0 for the first axis frees all axes; here each 0 frees its own.
  std::int64_t dims[] = {n, m}, chunk[] = {chunk1 == 0 ? -1 : chunk1, chunk2 == 0 ? -1 : chunk2};
  return calls::create(type, 2, dims, name, chunk);
}

int create_irreg(int type, std::int64_t n, std::int64_t m, char* name, Ints map1,
                 std::int64_t blocks1, Ints map2, std::int64_t blocks2) {
  std::int64_t dims[] = {n, m}, blocks[] = {blocks1, blocks2};
  std::vector<std::int64_t> map;
  for (std::size_t b = 0; static_cast<std::int64_t>(b) < blocks1; ++b) map.push_back(map1[b]);
  for (std::size_t b = 0; static_cast<std::int64_t>(b) < blocks2; ++b) map.push_back(map2[b]);
  return calls::create_irreg(type, 2, dims, name, blocks, map.data());
}

void set_restricted(int g_a, Ints list, int count) {
  std::vector<int> ranks;
  for (int i = 0; i < count; ++i) ranks.push_back(base::to_int(list[static_cast<std::size_t>(i)]));
  calls::set_restricted(g_a, ranks.data(), count);
}

bool destroy(int g_a) {
  if (runtime().is_array(g_a)) {
    calls::destroy(g_a);
    return true;
  }
  runtime().use_mask();
  if (!std::exchange(edge().has_told_of_dead_handles, true))
    std::fputs(fmt::format("[{}] {}: {} is not the handle of a live array; the result is .false.\n",
                           runtime().memory().rank(), current_call().name, g_a)
                   .c_str(),
               stderr);
  return false;
}

void inquire_n(int g_a, Ints type, Ints ndim, Ints dims) {
  int code = 0, axes = 0;
  calls::inquire(g_a, &code, &axes, dims);
  type.set(0, fortran_type(runtime().array(g_a).kind));
  ndim.set(0, axes);
}

void inquire(int g_a, Ints type, Ints n, Ints m) {
  const Array& array = runtime().array(g_a);
  if (array.axes() > 2) garray::refuse(array, "has more than 2 axes: nga_inquire is for it");
  type.set(0, fortran_type(array.kind));
  n.set(0, array.extents[0]);
  m.set(0, array.axes() < 2 ? 1 : array.extents[1]);
}

void distribution(int g_a, int process, Ints ilo, Ints ihi, Ints jlo, Ints jhi) {
  std::int64_t lo[array::max_axes] = {1, 1}, hi[array::max_axes] = {1, 1};
  calls::distribution(g_a, process, lo, hi);
  ilo.set(0, lo[0]);
  ihi.set(0, hi[0]);
  jlo.set(0, lo[1]);
  jhi.set(0, hi[1]);
}

bool locate(int g_a, Ints subscript, Ints owner) {
  owner.set(0, calls::locate(g_a, subscript));
  return owner[0] >= 0;
}

int locate_region(int g_a, std::int64_t ilo, std::int64_t ihi, std::int64_t jlo, std::int64_t jhi,
                  Ints map) {
  const Array& array = runtime().made_array(g_a);
  ga::require_flat(array);
  std::int64_t lo[] = {ilo, jlo}, hi[] = {ihi, jhi};
  std::size_t count = 0;
  for_each_located(array, box_within(tongue(), array, lo, hi), [&](int process, const Box& part) {
    const std::size_t at = 5 * count++;
    for (std::size_t d = 0; d < 2; ++d) {
      const bool is_axis = d < array.axes();  // a vector has one column
      map.set(at + 2 * d, is_axis ? part.first[d] + 1 : 1);
      map.set(at + 2 * d + 1, is_axis ? part.end[d] : 1);
    }
    map.set(at + 4, process);
  });
  return static_cast<int>(count);
}

int locate_region_n(int g_a, Ints lo, Ints hi, Ints map, Ints procs) {
  const Array& array = runtime().made_array(g_a);
  std::size_t count = 0;
  for_each_located(array, box_within(tongue(), array, lo, hi), [&](int process, const Box& part) {
    const std::size_t axes = array.axes();
    write_box(tongue(), part, map.from(2 * axes * count), map.from(2 * axes * count + axes));
    procs.set(count++, process);
  });
  return static_cast<int>(count);
}

int locate_num_blocks(int g_a, Ints lo, Ints hi) {
  const Array& array = runtime().made_array(g_a);
  return array.distribution.is_direct() ? -1 : calls::locate_nnodes(g_a, lo, hi);
}

void list(int g_a, Ints numbers, void (*call)(int, int*)) {
  int narrow[array::max_axes] = {};
  call(g_a, narrow);
  for (std::size_t d = 0; d < runtime().array(g_a).axes(); ++d) numbers.set(d, narrow[d]);
}

void get_block_info(int g_a, Ints blocks, Ints extents) {
  int counts[array::max_axes] = {}, lengths[array::max_axes] = {};
  calls::get_block_info(g_a, counts, lengths);
  for (std::size_t d = 0; d < runtime().array(g_a).axes(); ++d) {
    blocks.set(d, counts[d]);
    extents.set(d, lengths[d]);
  }
}

void proc_index(int g_a, int process, Ints index) {
  int narrow[array::max_axes] = {};
  calls::get_proc_index(g_a, process, narrow);
  for (std::size_t d = 0; d < runtime().array(g_a).axes(); ++d) index.set(d, narrow[d]);
}

void proc_index_2(int g_a, int process, Ints row, Ints column) {
  int narrow[array::max_axes] = {};
  calls::get_proc_index(g_a, process, narrow);
  row.set(0, narrow[0]);
  column.set(0, narrow[1]);
}

void nbput_notify(int g_a, Ints lo, Ints hi, void* buffer, Ints ld, int g_b, Ints at, void* value,
                  Ints handle) {
  calls::put(g_a, lo, hi, buffer, ld);
  runtime().memory().fence(-1);
  std::int64_t one[array::max_axes];
  std::fill(std::begin(one), std::end(one), 1);
  calls::nbput(g_b, at, at, value, one, handle);
}

void sparse_diagonal(int s_a, Ints g_d) {
  int handle = 0;
  calls::sprs_array_get_diag(s_a, &handle);
  g_d.set(0, handle);
}

void sparse_blocks(int s_a, Ints list, Ints count) {
  int* found = nullptr;
  int found_count = 0;
  calls::sprs_array_col_block_list(s_a, &found, &found_count);
  const std::unique_ptr<int, void (*)(void*)> kept(found, std::free);
  if (count[0] < found_count)
    garray::refuse(fmt::format("list: {} blocks have elements, and it has room for {}", found_count,
                               count[0]));
  for (int k = 0; k < found_count; ++k) list.set(static_cast<std::size_t>(k), found[k]);
  count.set(0, found_count);
}

int sparse_sketch(int s_a, int rows, Ints g_k, Ints g_w) {
  int bins = 0, signs = 0;
  const int sketch = calls::sprs_array_count_sketch(s_a, rows, &bins, &signs);
  g_k.set(0, bins);
  g_w.set(0, signs);
  return sketch;
}

void count_and_diag_std(int g_a, int g_v, double* values, Ints count) {
  calls::diag_std(g_a, g_v, values);
  count.set(0, runtime().made_array(g_a).extents[0]);
}

void require_flat(int g_a) {
  if (runtime().is_array(g_a)) ga::require_flat(runtime().array(g_a));
}

std::int64_t idot(int g_a, int g_b) {
  return runtime().made_array(g_a).kind.bytes == 4 ? calls::idot(g_a, g_b) : calls::ldot(g_a, g_b);
}

std::int64_t idot_patch(int g_a, char trans_a, Ints alo, Ints ahi, int g_b, char trans_b, Ints blo,
                        Ints bhi) {
  return runtime().made_array(g_a).kind.bytes == 4
             ? calls::idot_patch(g_a, trans_a, alo, ahi, g_b, trans_b, blo, bhi)
             : calls::ldot_patch(g_a, trans_a, alo, ahi, g_b, trans_b, blo, bhi);
}

void matmul_patch(char ta, char tb, void* alpha, void* beta, int g_a, Ints alo, Ints ahi, int g_b,
                  Ints blo, Ints bhi, int g_c, Ints clo, Ints chi) {
  calls::matmul_patch_2d(ta, tb, alpha, beta, g_a, alo[0], ahi[0], alo[1], ahi[1], g_b, blo[0],
                         bhi[0], blo[1], bhi[1], g_c, clo[0], chi[0], clo[1], chi[1]);
}

}  // namespace fortran
}  // namespace blockyard::ga
