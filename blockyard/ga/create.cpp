// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ga/create.h"

#include <fmt/format.h>

#include <cstdio>

#include "blockyard/base/error.h"

namespace blockyard::ga {

using garray::Layout;
using garray::refuse;

void describe_array(Array& array, const Request& request) {
  if (request.name != nullptr) array.name = request.name;
  const auto kind = runtime().kind(request.type, request.tongue.integer_bytes);
  if (!kind) refuse(array, fmt::format("type = {} is not a type of elements", request.type));
  if (request.ndim < 1 || request.ndim > static_cast<int>(array::max_axes))
    refuse(array, fmt::format("ndim = {} is outside 1..{}", request.ndim, array::max_axes));
  for (int axis = 0; axis < request.ndim; ++axis)
    if (const auto at = static_cast<std::size_t>(axis); request.dims[at] < 1)
      refuse(array, fmt::format("{} = {} is less than 1", request.tongue.element("dims", at),
                                request.dims[at]));
  array.kind = *kind;
  array.extents = extents_of(request.tongue, static_cast<std::size_t>(request.ndim), request.dims);
}

void set_chunks(Tongue tongue, Array& array, Ints chunk) {
  // Others come with blocks of their own.
  if (array.layout.form != Layout::Form::regular) return;
  array.layout.edges.clear();
  // 0 for the fastest axis: all are free.
  if (chunk.is_null() || chunk[tongue.axis(0, array.axes())] == 0) return;
  array.layout.edges = extents_of(tongue, array.axes(), chunk);
}

void set_irregular(Tongue tongue, Array& array, Ints block, Ints map) {
  const std::size_t axes = array.axes();
  array.layout.form = Layout::Form::irregular;
  array.layout.begins.assign(axes, {});
  std::size_t next = 0;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    auto& begins = array.layout.begins[tongue.axis(axis, axes)];
    for (Extent b = 0; b < block[axis]; ++b) begins.push_back(map[next++] - tongue.first());
  }
}

void set_widths(Tongue tongue, Array& array, Ints widths) {
  array.layout.widths = extents_of(tongue, array.axes(), widths);
}

void set_dealt(Tongue tongue, Array& array, Layout::Form form, Ints block, Ints grid) {
  array.layout.form = form;
  array.layout.edges = extents_of(tongue, array.axes(), block);
  array.layout.grid = extents_of(tongue, array.axes(), grid);
}

namespace {

/// The array of a request, with no layout yet.
Array& requested(const Request& request) {
  static_cast<void>(runtime().team(request.group));
  Array& array = runtime().new_array();
  array.group = request.group;
  describe_array(array, request);
  return array;
}

int handle_with_memory(Array& array) {
  const int handle = array.handle;
  if (make_memory(array) == 1) return handle;
  runtime().forget(array);
  return 0;
}

}  // namespace

int make_memory(Array& array) {
  runtime().use_mask();
  try {
    runtime().allocate(array);
    if (edge().report) edge().report->add_array(array);
    if (edge().checks) edge().checks->made(runtime(), array);
    return 1;
  } catch (const base::Error& error) {
    if (error.code() != base::Errc::no_memory) throw;
    if (runtime().team(array.group).me == 0)
      std::fputs(fmt::format("{}{}\n", current_call().name, error.what()).c_str(), stderr);
    return 0;
  }
}

int make_regular(const Request& request, Ints chunk, Ints widths) {
  Array& array = requested(request);
  set_chunks(request.tongue, array, chunk);
  if (!widths.is_null()) set_widths(request.tongue, array, widths);
  return handle_with_memory(array);
}

int make_irregular(const Request& request, Ints block, Ints map, Ints widths) {
  Array& array = requested(request);
  set_irregular(request.tongue, array, block, map);
  if (!widths.is_null()) set_widths(request.tongue, array, widths);
  return handle_with_memory(array);
}

void end_memory(Array& array) {
  if (runtime().use_mask().first) runtime().sync(array.group, Met(&array).meeting());
  if (edge().report && !array.is_guest) edge().report->end_array(array);
  if (edge().checks) edge().checks->ended(array);
  runtime().deallocate(array);
}

void destroy_array(Array& array) {
  if (array.is_made) end_memory(array);
  runtime().forget(array);
}

/// One of the same shape and layout, without memory.
static Array& new_twin(const Array& array, const char* name) {
  Array& twin = runtime().new_array();
  twin.name = name == nullptr ? "" : name;
  twin.kind = array.kind;
  twin.extents = array.extents;
  twin.group = array.group;
  twin.layout = array.layout;
  twin.keeps_corners = array.keeps_corners;
  return twin;
}

int duplicate_array(const Array& array, const char* name) {
  return together(array, [&] { return handle_with_memory(new_twin(array, name)); });
}

/// A part of memory is found by its member's number, so this has to be that of the same rank.
static void require_members_of(const Array& array, int group, std::string_view memory) {
  if (runtime().roster(group).ranks == runtime().team(array.group).ranks) return;
  refuse(array, fmt::format("is of group {}, but {} of group {}, which has other processes",
                            array.group, memory, group));
}

int adopt_memory(const Array& array, const char* name, void* memory) {
  const auto found = edge().raw_memory.find(memory);
  if (found == edge().raw_memory.end()) refuse(array, "ptr is not memory that GA_Getmem gave");
  require_members_of(array, found->second.group, "the memory at ptr");
  Array& twin = new_twin(array, name);
  twin.distribution = array.distribution;
  const std::size_t wanted = twin.bytes_held_by(array.me);
  if (wanted > found->second.bytes)
    refuse(array, fmt::format("needs {} bytes here, and ptr is the memory of {}", wanted,
                              found->second.bytes));
  runtime().adopt(twin, found->second.region);
  edge().raw_memory.erase(found);
  runtime().sync(array.group);
  return twin.handle;
}

void overlay_array(Array& array, const Array& host) {
  runtime().use_mask();
  runtime().settle_group(array);
  require_members_of(array, host.group, fmt::format("\"{}\"", host.name));
  array.distribution = runtime().distribution_of(array);
  for (int rank = 0; rank < array.distribution.ranks(); ++rank) {
    const auto wanted = array.bytes_held_by(rank), there = host.bytes_held_by(rank);
    if (wanted > there)
      refuse(array, fmt::format("needs {} bytes of process {}, where \"{}\" has {}", wanted, rank,
                                host.name, there));
  }
  array.is_guest = true;
  array.id = host.id + 1;
  runtime().attach(array, host.region);
}

std::optional<Box> box_held(const Array& array, int proc) {
  const array::Distribution& layout = array.distribution;
  if (!layout.is_direct()) {
    if (proc < 0 || proc >= layout.block_count()) return std::nullopt;
    return layout.box_of(proc);
  }
  if (proc < 0) refuse(array, fmt::format("process {} is outside 0..{}", proc, layout.ranks() - 1));
  if (proc >= layout.ranks()) return std::nullopt;
  const Extent block = layout.block_held_by(proc);
  if (block < 0 || layout.box_of(block).is_empty()) return std::nullopt;
  return layout.box_of(block);
}

int located(Tongue tongue, const Array& array, Ints subscript) {
  Indexes at{};
  for (std::size_t d = 0; d < array.axes(); ++d) {
    at[d] = subscript[tongue.axis(d, array.axes())] - tongue.first();
    if (at[d] < 0 || at[d] >= array.extents[d]) return -1;
  }
  const Extent block = array.distribution.block_of(at);
  return array.distribution.is_direct() ? array.distribution.rank_of(block) : base::to_int(block);
}

}  // namespace blockyard::ga
