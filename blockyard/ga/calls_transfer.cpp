// SPDX-License-Identifier: Apache-2.0
// One-sided transfers, access to own memory, mutexes.
#include <fmt/format.h>
#include <ga_calls.h>

#include <algorithm>
#include <cstring>

#include "blockyard/ga/convert.h"
#include "blockyard/ga/edge.h"
#include "blockyard/ga/near_lists.h"
#include "blockyard/ga/reach.h"
#include "blockyard/ga/transfers.h"

namespace blockyard::ga::calls {

namespace {

using array::Piece;
using garray::Field;
using garray::Pending;
using garray::refuse;

Array& made(int handle) { return runtime().made_array(handle); }

void opened(const Array& array, std::vector<Box> boxes) {
  if (edge().checks) edge().checks->open(array, std::move(boxes));
}
/// boxes(): those of the access that ends here. Without checks a release does nothing, whatever its
/// arguments.
template <class Boxes>
void closed(int handle, bool is_written, const Boxes& boxes) {
  if (!edge().checks) return;
  const Array& array = made(handle);
  edge().checks->close(array, boxes(array), is_written);
}

// Releases are not checked further: programs release patches that they never accessed.
void close_patch(int handle, Ints lo, Ints hi, bool is_written) {
  closed(handle, is_written, [&](const Array& array) {
    Box box{.axes = array.axes()};
    for (std::size_t d = 0; d < box.axes; ++d) {
      box.first[d] = lo[tongue().axis(d, box.axes)] - tongue().first();
      box.end[d] = hi[tongue().axis(d, box.axes)] - tongue().first() + 1;
    }
    return std::vector{box};
  });
}
void close_block(int handle, Extent block, bool is_written) {
  closed(handle, is_written, [&](const Array& array) {
    const bool is_there = block >= 0 && block < array.distribution.block_count();
    return is_there ? std::vector{array.distribution.box_of(block)} : std::vector<Box>();
  });
}
void close_block_at(int handle, Ints index, bool is_written) {
  if (edge().checks) close_block(handle, block_at(tongue(), made(handle), index), is_written);
}
std::vector<Box> boxes_of(const Array& array, int proc) {
  std::vector<Box> boxes;
  for (const Extent block : array.distribution.blocks_of(proc))
    boxes.push_back(array.distribution.box_of(block));
  return boxes;
}
void close_all(int handle, int proc, bool is_written) {
  closed(handle, is_written, [&](const Array& array) {
    return proc >= 0 && proc < array.distribution.ranks() ? boxes_of(array, proc)
                                                          : std::vector<Box>();
  });
}
/// Ghost cells may have been read, and own elements written.
void close_padded(int handle, bool is_written) {
  if (!edge().checks) return;
  const Array& array = made(handle);
  if (array.me < 0) return;
  if (is_written)
    close_all(handle, array.me, true);
  else
    edge().checks->ghosts_read(array);
}

bool is_counter(const Array& array) {
  return array.kind.element == fabric::Element::i32 || array.kind.element == fabric::Element::i64;
}

/// Single elements are what small transfers mostly are.
void copy_row(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes == sizeof(double))
    std::memcpy(to, from, sizeof(double));
  else
    std::memcpy(to, from, bytes);
}
void copy_rows(std::byte* to, std::size_t to_step, const std::byte* from, std::size_t from_step,
               const NearRows& near) noexcept {
  for (std::size_t row = 0; row < near.rows; ++row)
    std::memcpy(to + row * to_step, from + row * from_step, near.bytes);
}

/// For the report.
[[gnu::noinline]] void count_rows(const Array& array, const NearRows& near) {
  Report& report = *edge().report;
  const std::size_t bytes = near.rows * near.bytes;
  count_element(report, array.region, near.rank, near.offset, bytes);
  count_bytes(report, runtime().team(array.group).ranks[static_cast<std::size_t>(near.rank)],
              bytes);
}

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
  if (const NearRows near = near_rows(tongue(), array, lo, hi); near.data != nullptr) {
    if (array.is_counted) [[unlikely]]
      count_rows(array, near);
    if (near.rows == 1) return copy_row(buf, near.data, near.bytes);
    if (const std::size_t step = step_of(tongue(), array, near, ld); step != 0)
      return copy_rows(static_cast<std::byte*>(buf), step, near.data, near.step, near);
  }
  const Box box = box_of(tongue(), array, lo, hi);
  ga::get(array, box, local_of(tongue(), array, box, buf, ld));
}
void put(int g_a, Ints lo, Ints hi, void* buf, Ints ld) {
  const Array& array = made(g_a);
  if (const NearRows near = near_rows(tongue(), array, lo, hi);
      near.data != nullptr && array.property.empty()) {
    if (array.is_counted) [[unlikely]]
      count_rows(array, near);
    if (near.rows == 1) return copy_row(near.data, buf, near.bytes);
    if (const std::size_t step = step_of(tongue(), array, near, ld); step != 0)
      return copy_rows(near.data, near.step, static_cast<const std::byte*>(buf), step, near);
  }
  const Box box = box_of(tongue(), array, lo, hi);
  ga::put(array, box, local_of(tongue(), array, box, buf, ld));
}
void acc(int g_a, Ints lo, Ints hi, void* buf, Ints ld, void* alpha) {
  const Array& array = made(g_a);
  if (const NearRows near = near_rows(tongue(), array, lo, hi);
      near.data != nullptr && near.rows == 1 && array.property.empty() && array.kind.element) {
    fabric::Strided all;
    all.row_bytes = near.bytes;
    runtime().memory().accumulate(array.region, near.rank, near.offset, all, buf,
                                  *array.kind.element, alpha);
    return;
  }
  const Box box = box_of(tongue(), array, lo, hi);
  ga::accumulate(array, box, local_of(tongue(), array, box, buf, ld), alpha);
}
void nbget(int g_a, Ints lo, Ints hi, void* buf, Ints ld, Ints nbhandle) {
  const Array& array = made(g_a);
  const Box box = box_of(tongue(), array, lo, hi);
  const Local local = local_of(tongue(), array, box, buf, ld);
  later(nbhandle, [&](Pending* p) { ga::get(array, box, local, p); });
}
void nbput(int g_a, Ints lo, Ints hi, void* buf, Ints ld, Ints nbhandle) {
  const Array& array = made(g_a);
  const Box box = box_of(tongue(), array, lo, hi);
  const Local local = local_of(tongue(), array, box, buf, ld);
  later(nbhandle, [&](Pending* p) { ga::put(array, box, local, p); });
}
void nbacc(int g_a, Ints lo, Ints hi, void* buf, Ints ld, void* alpha, Ints nbhandle) {
  const Array& array = made(g_a);
  const Box box = box_of(tongue(), array, lo, hi);
  const Local local = local_of(tongue(), array, box, buf, ld);
  later(nbhandle, [&](Pending* p) { ga::accumulate(array, box, local, alpha, p); });
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
  const Array& array = made(g_a);
  const auto [lattice, to] = strided_patch(tongue(), array, lo, hi, skip, buf, ld);
  ga::get(array, lattice, to);
}
void strided_put(int g_a, Ints lo, Ints hi, Ints skip, void* buf, Ints ld) {
  const Array& array = made(g_a);
  const auto [lattice, from] = strided_patch(tongue(), array, lo, hi, skip, buf, ld);
  ga::put(array, lattice, from);
}
void strided_acc(int g_a, Ints lo, Ints hi, Ints skip, void* buf, Ints ld, void* alpha) {
  const Array& array = made(g_a);
  const auto [lattice, from] = strided_patch(tongue(), array, lo, hi, skip, buf, ld);
  ga::accumulate(array, lattice, from, alpha);
}

void periodic_get(int g_a, Ints lo, Ints hi, void* buf, Ints ld) {
  const Array& array = made(g_a);
  periodic(tongue(), array, lo, hi, buf, ld,
           [&](const Box& part, const Local& local) { ga::get(array, part, local); });
}
void periodic_put(int g_a, Ints lo, Ints hi, void* buf, Ints ld) {
  const Array& array = made(g_a);
  periodic(tongue(), array, lo, hi, buf, ld,
           [&](const Box& part, const Local& local) { ga::put(array, part, local); });
}
void periodic_acc(int g_a, Ints lo, Ints hi, void* buf, Ints ld, void* alpha) {
  const Array& array = made(g_a);
  periodic(tongue(), array, lo, hi, buf, ld,
           [&](const Box& part, const Local& local) { ga::accumulate(array, part, local, alpha); });
}

void alloc_gatscat_buf(int /*nelems*/) {}
void free_gatscat_buf() {}

void gather(int g_a, void* v, IntLists subsArray, std::int64_t n) {
  const Array& array = made(g_a);
  if (gather_near(tongue(), array, subsArray, n, v)) return;
  ga::gather(array, places_of(tongue(), array, subsArray, n), v);
}
void gather_flat(int g_a, void* v, Ints subsArray, std::int64_t n) {
  const Array& array = made(g_a);
  if (gather_near(tongue(), array, subsArray, n, v)) return;
  ga::gather(array, places_of(tongue(), array, subsArray, n), v);
}
void scatter(int g_a, void* v, IntLists subsArray, std::int64_t n) {
  const Array& array = made(g_a);
  if (scatter_near(tongue(), array, subsArray, n, v)) return;
  ga::scatter(array, places_of(tongue(), array, subsArray, n), v);
}
void scatter_flat(int g_a, void* v, Ints subsArray, std::int64_t n) {
  const Array& array = made(g_a);
  if (scatter_near(tongue(), array, subsArray, n, v)) return;
  ga::scatter(array, places_of(tongue(), array, subsArray, n), v);
}
void scatter_acc(int g_a, void* v, IntLists subsArray, std::int64_t n, void* alpha) {
  const Array& array = made(g_a);
  ga::scatter_add(array, places_of(tongue(), array, subsArray, n), v, alpha);
}
void scatter_acc_flat(int g_a, void* v, Ints subsArray, std::int64_t n, void* alpha) {
  const Array& array = made(g_a);
  ga::scatter_add(array, places_of(tongue(), array, subsArray, n), v, alpha);
}

long read_inc(int g_a, Ints subscript, long inc) {
  const Array& array = made(g_a);
  if (const NearRows near = near_rows(tongue(), array, subscript, subscript);
      near.data != nullptr && array.property.empty() && is_counter(array))
    return runtime().memory().fetch_and_add(array.region, near.rank, near.offset,
                                            *array.kind.element, inc);
  return ga::read_and_add(array, indexes_of(tongue(), array, subscript), inc);
}

void access(int g_a, Ints lo, Ints hi, void* ptr, Ints ld) {
  const Array& array = made(g_a);
  const Box box = box_of(tongue(), array, lo, hi);
  const Reached found = reach_patch(array, box);
  opened(array, {box});
  *static_cast<void**>(ptr) = found.data;
  write_ld(tongue(), array.axes(), found.strides, ld);
}
void access_block(int g_a, std::int64_t idx, void* ptr, Ints ld) {
  const Array& array = made(g_a);
  const Reached found = reach_block(array, idx);
  opened(array, {array.distribution.box_of(idx)});
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
  if (edge().checks) opened(array, boxes_of(array, proc));
  len.set(0, array.distribution.element_count(proc));
}
void access_ghosts(int g_a, Ints dims, void* ptr, Ints ld) {
  const Array& array = made(g_a);
  const Reached found = reach_padded(array);
  if (edge().checks) opened(array, boxes_of(array, array.me));
  *static_cast<void**>(ptr) = found.data;
  for (std::size_t d = 0; d < array.axes(); ++d)
    dims.set(tongue().axis(d, array.axes()), found.extents[d]);
  write_ld(tongue(), array.axes(), found.strides, ld);
}
void access_ghost_element(int g_a, void* ptr, Ints subscript, Ints ld) {
  const Array& array = made(g_a);
  const Reached found = reach_padded(array);
  if (found.data == nullptr) refuse(array, "has no block at this process");
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
void release(int g_a, Ints lo, Ints hi) { close_patch(g_a, lo, hi, false); }
void release_update(int g_a, Ints lo, Ints hi) { close_patch(g_a, lo, hi, true); }
void release_block(int g_a, int idx) { close_block(g_a, idx, false); }
void release_update_block(int g_a, int idx) { close_block(g_a, idx, true); }
void release_block_grid(int g_a, Ints index) { close_block_at(g_a, index, false); }
void release_update_block_grid(int g_a, Ints index) { close_block_at(g_a, index, true); }
void release_block_segment(int g_a, int idx) { close_all(g_a, idx, false); }
void release_update_block_segment(int g_a, int idx) { close_all(g_a, idx, true); }
void release_ghosts(int g_a) { close_padded(g_a, false); }
void release_update_ghosts(int g_a) { close_padded(g_a, true); }
void release_ghost_element(int /*g_a*/, Ints /*index*/) {}
void release_update_ghost_element(int /*g_a*/, Ints /*index*/) {}

int create_mutexes(int number) {
  runtime().use_mask();
  if (number < 1) return 0;
  if (edge().locks) refuse("mutexes were made already: destroy them first");
  edge().locks.emplace(runtime(), number);
  return 1;
}
int destroy_mutexes() {
  if (!edge().locks) refuse("no mutexes were made");
  runtime().use_mask();
  edge().locks->release();
  edge().locks.reset();
  return 1;
}
void lock(int mutex) {
  if (!edge().locks) refuse(fmt::format("mutex {} was never made: GA_Create_mutexes first", mutex));
  edge().locks->lock(mutex);
  if (edge().checks) edge().checks->lock(mutex);
}
void unlock(int mutex) {
  if (!edge().locks) refuse(fmt::format("mutex {} was never made: GA_Create_mutexes first", mutex));
  if (edge().checks) edge().checks->unlock(mutex);
  edge().locks->unlock(mutex);
}

}  // namespace blockyard::ga::calls
