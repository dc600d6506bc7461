// SPDX-License-Identifier: Apache-2.0
// Making and ending arrays, and questions about them.
#include <fmt/format.h>
#include <ga_calls.h>

#include <algorithm>
#include <cstring>

#include "blockyard/ga/create.h"
#include "blockyard/garray/mirror.h"

namespace blockyard::ga::calls {

namespace {

using array::Piece;
using garray::Layout;
using garray::refuse;
using garray::Runtime;

Array& pending_array(int handle) {
  Array& array = runtime().array(handle);
  if (array.is_made) refuse(array, "has memory already: it can no longer be laid out");
  return array;
}

/// The same, with extents and a type.
Array& described_array(int handle) {
  Array& array = pending_array(handle);
  if (array.axes() == 0) refuse(array, "has no extents and no type yet: GA_Set_data first");
  return array;
}

int default_group() { return runtime().default_group(); }

/// Ghost cells do not count, nor do groups.
bool is_dealt_alike(const array::Distribution& a, const array::Distribution& b) {
  if (a.axes() != b.axes() || a.dealing() != b.dealing()) return false;
  for (std::size_t d = 0; d < a.axes(); ++d)
    if (a.cuts(d) != b.cuts(d) || a.grid(d) != b.grid(d)) return false;
  if (!a.is_restricted() && !b.is_restricted()) return true;
  for (Extent block = 0; block < a.block_count(); ++block)
    if (a.rank_of(block) != b.rank_of(block)) return false;
  return true;
}

Request request(int type, int ndim, Ints dims, const char* name, int group) {
  return {
      .tongue = tongue(), .type = type, .ndim = ndim, .dims = dims, .name = name, .group = group};
}

}  // namespace

int create_config(int type, int ndim, Ints dims, char* name, Ints chunk, int p_handle) {
  return make_regular(request(type, ndim, dims, name, p_handle), chunk, nullptr);
}
int create(int type, int ndim, Ints dims, char* name, Ints chunk) {
  return create_config(type, ndim, dims, name, chunk, default_group());
}
int create_ghosts_config(int type, int ndim, Ints dims, Ints width, char* name, Ints chunk,
                         int p_handle) {
  return make_regular(request(type, ndim, dims, name, p_handle), chunk, width);
}
int create_ghosts(int type, int ndim, Ints dims, Ints width, char* name, Ints chunk) {
  return create_ghosts_config(type, ndim, dims, width, name, chunk, default_group());
}
int create_irreg_config(int type, int ndim, Ints dims, char* name, Ints block, Ints map,
                        int p_handle) {
  return make_irregular(request(type, ndim, dims, name, p_handle), block, map, nullptr);
}
int create_irreg(int type, int ndim, Ints dims, char* name, Ints block, Ints map) {
  return create_irreg_config(type, ndim, dims, name, block, map, default_group());
}
int create_ghosts_irreg_config(int type, int ndim, Ints dims, Ints width, char* name, Ints nblock,
                               Ints map, int p_handle) {
  return make_irregular(request(type, ndim, dims, name, p_handle), nblock, map, width);
}
int create_ghosts_irreg(int type, int ndim, Ints dims, Ints width, char* name, Ints nblock,
                        Ints map) {
  return create_ghosts_irreg_config(type, ndim, dims, width, name, nblock, map, default_group());
}

int create_handle() { return runtime().new_array().handle; }
void set_data(int g_a, int ndim, Ints dims, int type) {
  describe_array(pending_array(g_a), request(type, ndim, dims, nullptr, default_group()));
}
void set_array_name(int g_a, char* name) { runtime().array(g_a).name = name; }
void set_pgroup(int g_a, int p_handle) {
  static_cast<void>(runtime().team(p_handle));
  pending_array(g_a).group = p_handle;
}
void set_chunk(int g_a, Ints chunk) { set_chunks(tongue(), described_array(g_a), chunk); }
void set_irreg_distr(int g_a, Ints map, Ints block) {
  set_irregular(tongue(), described_array(g_a), block, map);
}
void set_irreg_flag(int /*g_a*/, int /*flag*/) {}
void set_ghosts(int g_a, Ints width) { set_widths(tongue(), described_array(g_a), width); }
void set_block_cyclic(int g_a, Ints dims) {
  Array& array = described_array(g_a);
  array.layout.form = Layout::Form::cyclic;
  array.layout.edges = extents_of(tongue(), array.axes(), dims);
}
void set_block_cyclic_proc_grid(int g_a, Ints block, Ints proc_grid) {
  set_dealt(tongue(), described_array(g_a), Layout::Form::matrix, block, proc_grid);
}
void set_tiled_proc_grid(int g_a, Ints block, Ints proc_grid) {
  set_dealt(tongue(), described_array(g_a), Layout::Form::tiled, block, proc_grid);
}
void set_tiled_irreg_proc_grid(int g_a, Ints mapc, Ints nblocks, Ints proc_grid) {
  Array& array = described_array(g_a);
  set_irregular(tongue(), array, nblocks, mapc);
  array.layout.form = Layout::Form::tiled_irregular;
  array.layout.grid = extents_of(tongue(), array.axes(), proc_grid);
}
void set_restricted(int g_a, int* list, int size) {
  pending_array(g_a).layout.holders.assign(list, list + size);
}
void set_restricted_range(int g_a, int lo_proc, int hi_proc) {
  auto& holders = pending_array(g_a).layout.holders;
  holders.clear();
  for (int p = lo_proc; p <= hi_proc; ++p) holders.push_back(p);
}
void set_memory_dev(int g_a, char* /*device*/) { static_cast<void>(runtime().array(g_a)); }

void set_property(int g_a, char* property) {
  Array& array = runtime().made_array(g_a);
  const std::string_view name = property;
  runtime().use_mask();
  if (name != "read_only" && name != "read_cache")
    refuse(array, fmt::format("property \"{}\" is not one of read_only, read_cache", name));
  together(array, [&] { array.property = name; });
}
void unset_property(int g_a) {
  Array& array = runtime().made_array(g_a);
  runtime().use_mask();
  together(array, [&] { array.property.clear(); });
}

int allocate(int g_a) { return make_memory(pending_array(g_a)); }
int deallocate(int g_a) {
  end_memory(runtime().made_array(g_a));
  return 1;
}
int overlay(int g_a, int g_p) {
  overlay_array(described_array(g_a), runtime().made_array(g_p));
  return 1;
}
int duplicate(int g_a, char* array_name) {
  return duplicate_array(runtime().made_array(g_a), array_name);
}
int assemble_duplicate(int g_a, char* name, void* ptr) {
  return adopt_memory(runtime().made_array(g_a), name, ptr);
}
void destroy(int g_a) { destroy_array(runtime().array(g_a)); }

void inquire(int g_a, int* type, int* ndim, Ints dims) {
  const Array& array = runtime().array(g_a);
  *type = array.kind.code;
  *ndim = static_cast<int>(array.axes());
  for (std::size_t d = 0; d < array.axes(); ++d)
    dims.set(tongue().axis(d, array.axes()), array.extents[d]);
}
char* inquire_name(int g_a) { return runtime().array(g_a).name.data(); }
void get_array_name(int g_a, char* name) { std::strcpy(name, inquire_name(g_a)); }
int ndim(int g_a) { return static_cast<int>(runtime().array(g_a).axes()); }
int get_dimension(int g_a) { return ndim(g_a); }
int valid_handle(int g_a) { return runtime().is_array(g_a) ? 1 : 0; }
int verify_handle(int g_a) { return valid_handle(g_a); }
void check_handle(int g_a, char* string) {
  if (!runtime().is_array(g_a))
    refuse(fmt::format("{}: {} is not the handle of a live array", string, g_a));
}
int get_pgroup(int g_a) { return runtime().array(g_a).group; }
int compare_distr(int g_a, int g_b) {
  const Array &a = runtime().made_array(g_a), &b = runtime().made_array(g_b);
  runtime().use_mask();
  return is_dealt_alike(a.distribution, b.distribution) ? 0 : 1;
}
int is_mirrored(int g_a) { return garray::is_mirrored(runtime(), runtime().array(g_a)) ? 1 : 0; }
int has_ghosts(int g_a) { return runtime().made_array(g_a).distribution.is_padded() ? 1 : 0; }

void distribution(int g_a, int iproc, Ints lo, Ints hi) {
  const Array& array = runtime().made_array(g_a);
  const auto box = box_held(array, iproc);
  if (box) return write_box(tongue(), *box, lo, hi);
  for (std::size_t axis = 0; axis < array.axes(); ++axis) {
    lo.set(axis, tongue().first() - 1);
    hi.set(axis, tongue().first() - 2);
  }
}

int locate(int g_a, Ints subscript) {
  return located(tongue(), runtime().made_array(g_a), subscript);
}
int locate_region(int g_a, Ints lo, Ints hi, Ints map, int* procs) {
  const Array& array = runtime().made_array(g_a);
  const std::size_t axes = array.axes();
  std::size_t count = 0;
  for_each_located(array, box_within(tongue(), array, lo, hi), [&](int proc, const Box& part) {
    write_box(tongue(), part, map.from(2 * axes * count), map.from(2 * axes * count + axes));
    procs[count] = proc;
    ++count;
  });
  return static_cast<int>(count);
}
int locate_nnodes(int g_a, Ints lo, Ints hi) {
  const Array& array = runtime().made_array(g_a);
  int count = 0;
  for_each_located(array, box_within(tongue(), array, lo, hi), [&](int, const Box&) { ++count; });
  return count;
}
int locate_num_blocks(int g_a, int* lo, int* hi) {
  return runtime().made_array(g_a).distribution.is_direct() ? -1 : locate_nnodes(g_a, lo, hi);
}

void nblock(int g_a, int* nblock) {
  const Array& array = runtime().made_array(g_a);
  for (std::size_t d = 0; d < array.axes(); ++d)
    nblock[tongue().axis(d, array.axes())] = base::to_int(array.distribution.cuts(d).blocks);
}
void get_block_info(int g_a, int* num_blocks, int* block_dims) {
  const Array& array = runtime().made_array(g_a);
  for (std::size_t d = 0; d < array.axes(); ++d) {
    const array::Cuts& cuts = array.distribution.cuts(d);
    const std::size_t axis = tongue().axis(d, array.axes());
    num_blocks[axis] = base::to_int(cuts.blocks);
    block_dims[axis] = base::to_int(cuts.edge > 0 ? cuts.edge : cuts.end(0) - cuts.begin(0));
  }
}
void get_proc_grid(int g_a, int* dims) {
  const Array& array = runtime().made_array(g_a);
  for (std::size_t d = 0; d < array.axes(); ++d)
    dims[tongue().axis(d, array.axes())] = base::to_int(array.distribution.grid(d));
}
void get_proc_index(int g_a, int iproc, int* subscript) {
  const Array& array = runtime().made_array(g_a);
  Extent left = iproc;
  for (std::size_t d = 0; d < array.axes(); ++d) {
    const Extent side = std::max<Extent>(1, array.distribution.grid(d));
    subscript[tongue().axis(d, array.axes())] = base::to_int(left % side);
    left /= side;
  }
}
// Unlike other calls, this one counts axes from the fastest in C, too: programs make communicators
// of rows and columns by it.
void proc_topology(int g_a, int proc, int* coord) {
  get_proc_index(g_a, proc, coord);
  if (!tongue().is_fortran) std::reverse(coord, coord + ndim(g_a));
}
int total_blocks(int g_a) {
  const Array& array = runtime().made_array(g_a);
  return array.distribution.is_direct() ? -1 : base::to_int(array.distribution.block_count());
}
int uses_proc_grid(int g_a) {
  using Dealing = array::Distribution::Dealing;
  const Dealing dealing = runtime().made_array(g_a).distribution.dealing();
  return dealing == Dealing::matrix || dealing == Dealing::tiled ? 1 : 0;
}

}  // namespace blockyard::ga::calls
