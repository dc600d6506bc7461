// SPDX-License-Identifier: Apache-2.0
// One-sided transfers and access to own memory.
#include <fmt/format.h>
#include <ga_calls.h>

#include <algorithm>
#include <cstring>

#include "blockyard/ga/convert.h"
#include "blockyard/ga/edge.h"
#include "blockyard/ga/reach.h"

namespace blockyard::ga::calls {

namespace {

using array::Piece;
using garray::Field;
using garray::Pending;
using garray::refuse;

Array& made(int handle) { return runtime().made_array(handle); }

/// Starts a transfer that the caller may wait for later; without a handle it is a blocking one.
template <class Transfer>
void later(Ints handle, const Transfer& transfer) {
  if (handle.is_null()) return transfer(nullptr);
  Pending pending;
  transfer(&pending);
  handle.set(0, keep_pending(std::move(pending)));
}

}  // namespace

void get(int g_a, Ints lo, Ints hi, void* buf, Ints ld) {
  const Array& array = made(g_a);
  const Box box = box_of(tongue(), array, lo, hi);
  garray::get(runtime(), array, box, local_of(tongue(), array, box, buf, ld));
}
void put(int g_a, Ints lo, Ints hi, void* buf, Ints ld) {
  const Array& array = made(g_a);
  const Box box = box_of(tongue(), array, lo, hi);
  garray::put(runtime(), array, box, local_of(tongue(), array, box, buf, ld));
}
void acc(int g_a, Ints lo, Ints hi, void* buf, Ints ld, void* alpha) {
  const Array& array = made(g_a);
  const Box box = box_of(tongue(), array, lo, hi);
  garray::accumulate(runtime(), array, box, local_of(tongue(), array, box, buf, ld), alpha);
}
void nbget(int g_a, Ints lo, Ints hi, void* buf, Ints ld, Ints nbhandle) {
  const Array& array = made(g_a);
  const Box box = box_of(tongue(), array, lo, hi);
  const Local local = local_of(tongue(), array, box, buf, ld);
  later(nbhandle, [&](Pending* p) { garray::get(runtime(), array, box, local, p); });
}
void nbput(int g_a, Ints lo, Ints hi, void* buf, Ints ld, Ints nbhandle) {
  const Array& array = made(g_a);
  const Box box = box_of(tongue(), array, lo, hi);
  const Local local = local_of(tongue(), array, box, buf, ld);
  later(nbhandle, [&](Pending* p) { garray::put(runtime(), array, box, local, p); });
}
void nbacc(int g_a, Ints lo, Ints hi, void* buf, Ints ld, void* alpha, Ints nbhandle) {
  const Array& array = made(g_a);
  const Box box = box_of(tongue(), array, lo, hi);
  const Local local = local_of(tongue(), array, box, buf, ld);
  later(nbhandle, [&](Pending* p) { garray::accumulate(runtime(), array, box, local, alpha, p); });
}
void nbwait(Ints nbhandle) { wait_pending(nbhandle[0]); }
int nbtest(Ints nbhandle) { return test_pending(nbhandle[0]) ? 1 : 0; }

void get_field(int g_a, Ints lo, Ints hi, int foff, int fsize, void* buf, Ints ld) {
  nbget_field(g_a, lo, hi, foff, fsize, buf, ld, nullptr);
}
void put_field(int g_a, Ints lo, Ints hi, int foff, int fsize, void* buf, Ints ld) {
  nbput_field(g_a, lo, hi, foff, fsize, buf, ld, nullptr);
}
void nbget_field(int g_a, Ints lo, Ints hi, int foff, int fsize, void* buf, Ints ld,
                 Ints nbhandle) {
  const Array& array = made(g_a);
  const Box box = box_of(tongue(), array, lo, hi);
  const Field field = field_of(array, foff, fsize);
  const Local local = local_of(tongue(), array, box, buf, ld);
  later(nbhandle, [&](Pending* p) { garray::get_field(runtime(), array, box, field, local, p); });
}
void nbput_field(int g_a, Ints lo, Ints hi, int foff, int fsize, void* buf, Ints ld,
                 Ints nbhandle) {
  const Array& array = made(g_a);
  const Box box = box_of(tongue(), array, lo, hi);
  const Field field = field_of(array, foff, fsize);
  const Local local = local_of(tongue(), array, box, buf, ld);
  later(nbhandle, [&](Pending* p) { garray::put_field(runtime(), array, box, field, local, p); });
}

void strided_get(int g_a, Ints lo, Ints hi, Ints skip, void* buf, Ints ld) {
  strided(
      tongue(), made(g_a), {lo, hi, skip, buf, ld},
      [](const Array& array, const auto& places, void* values) {
        garray::gather(runtime(), array, places, values);
      },
      Direction::from_array);
}
void strided_put(int g_a, Ints lo, Ints hi, Ints skip, void* buf, Ints ld) {
  strided(
      tongue(), made(g_a), {lo, hi, skip, buf, ld},
      [](const Array& array, const auto& places, void* values) {
        garray::scatter(runtime(), array, places, values);
      },
      Direction::to_array);
}
void strided_acc(int g_a, Ints lo, Ints hi, Ints skip, void* buf, Ints ld, void* alpha) {
  strided(
      tongue(), made(g_a), {lo, hi, skip, buf, ld},
      [&](const Array& array, const auto& places, void* values) {
        garray::scatter_add(runtime(), array, places, values, alpha);
      },
      Direction::to_array);
}

void periodic_get(int g_a, Ints lo, Ints hi, void* buf, Ints ld) {
  const Array& array = made(g_a);
  periodic(tongue(), array, lo, hi, buf, ld, [&](const Box& part, const Local& local) {
    garray::get(runtime(), array, part, local);
  });
}
void periodic_put(int g_a, Ints lo, Ints hi, void* buf, Ints ld) {
  const Array& array = made(g_a);
  periodic(tongue(), array, lo, hi, buf, ld, [&](const Box& part, const Local& local) {
    garray::put(runtime(), array, part, local);
  });
}
void periodic_acc(int g_a, Ints lo, Ints hi, void* buf, Ints ld, void* alpha) {
  const Array& array = made(g_a);
  periodic(tongue(), array, lo, hi, buf, ld, [&](const Box& part, const Local& local) {
    garray::accumulate(runtime(), array, part, local, alpha);
  });
}

void alloc_gatscat_buf(int /*nelems*/) {}
void free_gatscat_buf() {}

void gather(int g_a, void* v, IntLists subsArray, std::int64_t n) {
  const Array& array = made(g_a);
  garray::gather(runtime(), array, places_of(tongue(), array, subsArray, n), v);
}
void gather_flat(int g_a, void* v, Ints subsArray, std::int64_t n) {
  const Array& array = made(g_a);
  garray::gather(runtime(), array, places_of(tongue(), array, subsArray, n), v);
}
void scatter(int g_a, void* v, IntLists subsArray, std::int64_t n) {
  const Array& array = made(g_a);
  garray::scatter(runtime(), array, places_of(tongue(), array, subsArray, n), v);
}
void scatter_flat(int g_a, void* v, Ints subsArray, std::int64_t n) {
  const Array& array = made(g_a);
  garray::scatter(runtime(), array, places_of(tongue(), array, subsArray, n), v);
}
void scatter_acc(int g_a, void* v, IntLists subsArray, std::int64_t n, void* alpha) {
  const Array& array = made(g_a);
  garray::scatter_add(runtime(), array, places_of(tongue(), array, subsArray, n), v, alpha);
}
void scatter_acc_flat(int g_a, void* v, Ints subsArray, std::int64_t n, void* alpha) {
  const Array& array = made(g_a);
  garray::scatter_add(runtime(), array, places_of(tongue(), array, subsArray, n), v, alpha);
}

long read_inc(int g_a, Ints subscript, long inc) {
  const Array& array = made(g_a);
  return garray::read_and_add(runtime(), array, indexes_of(tongue(), array, subscript), inc);
}

void access(int g_a, Ints lo, Ints hi, void* ptr, Ints ld) {
  const Array& array = made(g_a);
  const Reached found = reach_patch(array, box_of(tongue(), array, lo, hi));
  *static_cast<void**>(ptr) = found.data;
  write_ld(tongue(), array.axes(), found.strides, ld);
}
void access_block(int g_a, std::int64_t idx, void* ptr, Ints ld) {
  const Array& array = made(g_a);
  const Reached found = reach_block(array, idx);
  *static_cast<void**>(ptr) = found.data;
  write_ld(tongue(), array.axes(), found.strides, ld);
}
void access_block_grid(int g_a, Ints index, void* ptr, Ints ld) {
  const Array& array = made(g_a);
  access_block(g_a, block_at(tongue(), array, index), ptr, ld);
}
void access_block_segment(int g_a, int proc, void* ptr, Ints len) {
  const Array& array = made(g_a);
  *static_cast<void**>(ptr) = reach_all(array, proc);
  len.set(0, array.distribution.element_count(proc));
}
void access_ghosts(int g_a, Ints dims, void* ptr, Ints ld) {
  const Array& array = made(g_a);
  const Reached found = reach_padded(array);
  *static_cast<void**>(ptr) = found.data;
  for (std::size_t d = 0; d < array.axes(); ++d)
    dims.set(tongue().axis(d, array.axes()), found.extents[d]);
  write_ld(tongue(), array.axes(), found.strides, ld);
}
void access_ghost_element(int g_a, void* ptr, Ints subscript, Ints ld) {
  const Array& array = made(g_a);
  const Reached found = reach_padded(array);
  Extent offset = 0;
  for (std::size_t d = 0; d < array.axes(); ++d) {
    const std::size_t axis = tongue().axis(d, array.axes());
    const Extent first = tongue().first(), at = subscript[axis] - first;
    if (at < 0 || at >= found.extents[d])
      refuse(array, fmt::format("{} = {} is outside {}..{} of the padded block",
                                tongue().element("subscript", axis), subscript[axis], first,
                                found.extents[d] + first - 1));
    offset += at * found.strides[d];
  }
  *static_cast<void**>(ptr) =
      static_cast<std::byte*>(found.data) + static_cast<std::size_t>(offset) * array.kind.bytes;
  write_ld(tongue(), array.axes(), found.strides, ld);
}

// Memory is accessed in place: there is nothing to give back.
void release(int g_a, Ints /*lo*/, Ints /*hi*/) { static_cast<void>(made(g_a)); }
void release_update(int g_a, Ints /*lo*/, Ints /*hi*/) { static_cast<void>(made(g_a)); }
void release_block(int g_a, int /*idx*/) { static_cast<void>(made(g_a)); }
void release_update_block(int g_a, int /*idx*/) { static_cast<void>(made(g_a)); }
void release_block_grid(int g_a, int* /*index*/) { static_cast<void>(made(g_a)); }
void release_update_block_grid(int g_a, int* /*index*/) { static_cast<void>(made(g_a)); }
void release_block_segment(int g_a, int /*idx*/) { static_cast<void>(made(g_a)); }
void release_update_block_segment(int g_a, int /*idx*/) { static_cast<void>(made(g_a)); }
void release_ghosts(int g_a) { static_cast<void>(made(g_a)); }
void release_update_ghosts(int g_a) { static_cast<void>(made(g_a)); }
void release_ghost_element(int g_a, Ints /*index*/) { static_cast<void>(made(g_a)); }
void release_update_ghost_element(int g_a, Ints /*index*/) { static_cast<void>(made(g_a)); }

}  // namespace blockyard::ga::calls
