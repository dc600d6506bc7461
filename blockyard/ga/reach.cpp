// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ga/reach.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace blockyard::ga {

using array::Piece;
using garray::refuse;

namespace {

std::byte* place_of(const Array& array, int rank, Extent offset) {
  return array.bases[static_cast<std::size_t>(rank)] +
         static_cast<std::size_t>(offset) * array.kind.bytes;
}

/// Programs overwrite a handle and rely on the next sync: each time twice as many transfers are
/// kept as were left, those that are complete are forgotten.
void forget_complete() {
  constexpr std::size_t fewest = 32;
  std::vector<long> handles;
  {
    const std::lock_guard lock(edge().pending_mutex);
    if (edge().pending.size() < 2 * std::max(fewest, edge().last_kept)) return;
    for (const auto& [handle, pending] : edge().pending) handles.push_back(handle);
  }
  for (const long handle : handles) static_cast<void>(test_pending(handle));
  const std::lock_guard lock(edge().pending_mutex);
  edge().last_kept = edge().pending.size();
}

}  // namespace

Reached reach_patch(const Array& array, const Box& box) {
  Reached found;
  array.distribution.for_each_piece(box, [&](const Piece& piece) {
    if (array.bases[static_cast<std::size_t>(piece.rank)] == nullptr)
      refuse(array, fmt::format("lo..hi has elements that process {} on another node holds; only "
                                "those on one's own can be accessed",
                                piece.rank));
    if (piece.box != box)
      refuse(array, "lo..hi lies in several blocks; access them one by one (Access_block)");
    found.data = place_of(array, piece.rank, piece.offset);
    found.strides = piece.strides;
  });
  return found;
}

Reached reach_block(const Array& array, Extent block) {
  if (block < 0 || block >= array.distribution.block_count())
    refuse(array,
           fmt::format("block {} is outside 0..{}", block, array.distribution.block_count() - 1));
  const Piece piece = array.distribution.piece_of(block);
  std::byte* base = array.bases[static_cast<std::size_t>(piece.rank)];
  if (base == nullptr)
    refuse(array, fmt::format("block {} lies on another node, at process {}", block, piece.rank));
  return {place_of(array, piece.rank, piece.offset), piece.strides, {}};
}

Reached reach_padded(const Array& array) {
  if (!array.distribution.is_direct())
    refuse(array, "has blocks dealt to processes, and no ghost cells");
  const Extent block = array.distribution.block_held_by(array.me);
  const Indexes& widths = array.distribution.widths();
  Reached found;
  if (block < 0) {
    Extent next = 1;
    for (std::size_t d = 0; d < array.axes(); ++d) {
      found.extents[d] = 2 * widths[d];
      found.strides[d] = next;
      next *= found.extents[d];
    }
    return found;
  }
  const Piece piece = array.distribution.piece_of(block);
  Extent offset = piece.offset;
  for (std::size_t d = 0; d < array.axes(); ++d) {
    offset -= widths[d] * piece.strides[d];
    found.extents[d] = piece.box.extent(d) + 2 * widths[d];
  }
  found.data = place_of(array, array.me, offset);
  found.strides = piece.strides;
  return found;
}

void* reach_all(const Array& array, int proc) {
  if (proc < 0 || proc >= array.distribution.ranks())
    refuse(array, fmt::format("process {} is outside 0..{}", proc, array.distribution.ranks() - 1));
  if (array.bases[static_cast<std::size_t>(proc)] == nullptr)
    refuse(array, fmt::format("process {} is on another node", proc));
  return array.bases[static_cast<std::size_t>(proc)];
}

Extent block_at(Tongue tongue, const Array& array, Ints index) {
  Indexes at{};
  for (std::size_t d = 0; d < array.axes(); ++d) {
    const std::size_t axis = tongue.axis(d, array.axes());
    at[d] = index[axis];
    if (at[d] < 0 || at[d] >= array.distribution.cuts(d).blocks)
      refuse(array,
             fmt::format("{} = {}: there are {} blocks on that axis", tongue.element("index", axis),
                         index[axis], array.distribution.cuts(d).blocks));
  }
  return array.distribution.block_at(at);
}

garray::Field field_of(const Array& array, int offset, int bytes) {
  if (offset < 0 || bytes < 1 ||
      static_cast<std::size_t>(offset) + static_cast<std::size_t>(bytes) > array.kind.bytes)
    refuse(array, fmt::format("bytes {}..{} are not within an element of {} bytes", offset,
                              offset + bytes - 1, array.kind.bytes));
  return {static_cast<std::size_t>(offset), static_cast<std::size_t>(bytes)};
}

std::vector<Indexes> places_of(Tongue tongue, const Array& array, Ints flat, Extent count) {
  if (count < 0) refuse(array, fmt::format("n = {} is less than 0", count));
  std::vector<Indexes> places(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < places.size(); ++i)
    places[i] = indexes_of(tongue, array, flat.from(i * array.axes()));
  return places;
}

std::vector<Indexes> places_of(Tongue tongue, const Array& array, IntLists lists, Extent count) {
  if (count < 0) refuse(array, fmt::format("n = {} is less than 0", count));
  std::vector<Indexes> places(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = indexes_of(tongue, array, lists[i]);
  return places;
}

long keep_pending(garray::Pending pending) {
  if (pending.test(runtime().memory())) return 0;
  forget_complete();
  const std::lock_guard lock(edge().pending_mutex);
  // Callers may keep them in integers of 4 bytes.
  constexpr long most = std::numeric_limits<int>::max();
  long& handle = edge().last_handle;
  do handle = handle % most + 1;
  while (edge().pending.contains(handle));
  edge().pending.emplace(handle, std::move(pending));
  return handle;
}

void wait_pending(long handle) {
  garray::Pending pending;
  {
    const std::lock_guard lock(edge().pending_mutex);
    const auto found = edge().pending.find(handle);
    if (found == edge().pending.end()) return;  // complete, or never begun
    pending = std::move(found->second);
    edge().pending.erase(found);
  }
  pending.wait(runtime().memory());
}

bool test_pending(long handle) {
  garray::Pending pending;
  {
    const std::lock_guard lock(edge().pending_mutex);
    const auto found = edge().pending.find(handle);
    if (found == edge().pending.end()) return true;
    pending = found->second;
  }
  // Without the mutex: a test moves letters, and others may begin transfers meanwhile.
  if (!pending.test(runtime().memory())) return false;
  const std::lock_guard lock(edge().pending_mutex);
  edge().pending.erase(handle);
  return true;
}

StridedPatch strided_patch(Tongue tongue, const Array& array, Ints lo, Ints hi, Ints skip,
                           void* memory, Ints ld) {
  const Box box = box_of(tongue, array, lo, hi);
  StridedPatch found;
  garray::Lattice& lattice = found.lattice;
  lattice.axes = box.axes;
  lattice.first = box.first;
  Box dense{.axes = box.axes};
  for (std::size_t d = 0; d < box.axes; ++d) {
    const std::size_t axis = tongue.axis(d, box.axes);
    const Extent step = skip[axis];
    if (step < 1)
      refuse(array, fmt::format("{} = {} is less than 1", tongue.element("skip", axis), step));
    lattice.steps[d] = step;
    lattice.counts[d] = dense.end[d] = (box.extent(d) + step - 1) / step;
  }
  const Local local = local_of(tongue, array, dense, memory, ld);
  found.spread.data = static_cast<std::byte*>(local.data);
  for (std::size_t d = 0; d < box.axes; ++d)
    found.spread.strides_bytes[d] = local.strides[d] * static_cast<Extent>(array.kind.bytes);
  return found;
}

}  // namespace blockyard::ga
